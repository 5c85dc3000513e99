"""What in an answer is a statement of fact, and so needs a citation.

By shape alone, for any language: a sentence that is long enough to say something, that is no question, heading,
list introduction or label, and that does not say that nothing was found.
"""

from __future__ import annotations

import re

from bot.answering.languages import ABSENT

LONGEST_HEADING = 80  # characters

_HEADING = re.compile(r"#{1,6}\s|\*\*[^*]+\*\*$|__[^_]+__$")
_LIST_MARK = re.compile(r"^\s*(?:[-*+•–]|\(?\w{1,2}[.)])\s+")
_TRAILING = "\"'”’»)】」』*_ \t\r\n"
# Scripts that put no spaces between words: there a sentence is measured in characters.
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\u0e00-\u0e7f]")
# An answer that says that it has none, or what it is about to do, states nothing about the world.
_NOTHING_FOUND = re.compile(
    r"\bI (?:found|find) (?:nothing|no\b)"
    r"|\bI (?:could not|couldn['’]t|cannot|can['’]t|did not|didn['’]t) (?:find|see)\b"
    r"|\b(?:documents?|sources?|passages?|results?)\b[^.]{0,60}\b(?:do|does|did) ?(?:not|n['’]t) "
    r"(?:say|mention|cover|state|contain|specify|give|include|tell|indicate)"
    r"|\bno (?:documents?|passages?|information)\b[^.]{0,60}\b(?:found|mentions?|says?|covers?)"
    r"|\bje n['’]ai (?:rien|pas|aucun\w*)\b[^.]{0,20}\btrouvé"
    r"|\bdocuments? (?:ne|n['’])\s?(?:\w+ )?(?:pas|rien|aucun)|\bdocuments? ne [^.]{0,30}\bpas\b"
    r"|\bich (?:habe|konnte) [^.]{0,60}\b(?:nichts|keine\w*|nicht)\b"
    r"|\b(?:no (?:he )?encontr(?:é|ado)|non ho trovato|não encontrei|ik heb niets)\b"
    r"|見つかりません|ありませんでした|没有找到|未找到",
    re.IGNORECASE,
)
# "…, but it is 5": after such a word a sentence that says what is missing may go on to state something.
_TURNS = re.compile(
    r"[;—]|\b(?:but|however|although|yet|mais|cependant|toutefois|aber|jedoch|doch|pero|sino|ma|però|mas|maar)\b|ただし|但",
    re.IGNORECASE,
)
_FILLER = re.compile(
    r"\s*(?:here (?:is|are|['’]s) (?:what|the)\b[^.]{0,60}"
    r"|let me (?:search|check|look)\b.*|I(?:['’]ll| will) (?:search|check|look)\b.*"
    r"|voici (?:ce que|les?)\b[^.]{0,60}|hier (?:ist|sind)\b[^.]{0,60}\bgefunden)\W*$",
    re.IGNORECASE,
)


def is_absence_line(line: str) -> bool:
    """Whether a line is the one that says what the documents do not hold, in any language of the table."""
    start = _LIST_MARK.sub("", line).lstrip(" *_").replace("\u00a0", " ").replace("：", ":").casefold()
    return any(start.startswith(label.casefold().rstrip(" :")) for label in ABSENT.values())


def is_statement(sentence: str) -> bool:
    """Whether a sentence states something that needs a source.

    >>> [is_statement(s) for s in ("It was closed on 12 May.", "Sources:", "Is that all?", "Yes.", "# Findings")]
    [True, False, False, False, False]
    """
    text = sentence.strip()
    if not any(c.isalnum() for c in text) or is_absence_line(text):
        return False
    if _HEADING.match(text) and len(text) <= LONGEST_HEADING and not text.rstrip(_TRAILING).endswith((".", "。")):
        return False
    text = _LIST_MARK.sub("", text)
    if text.rstrip(_TRAILING).endswith(("?", "？", ":", "：", "؟", ";")):  # ";" is the Greek question mark, too
        return False
    if (_NOTHING_FOUND.search(text) and not _TURNS.search(text)) or _FILLER.match(text):
        return False
    if any(c.isdigit() for c in text):
        return True
    if _UNSPACED.search(text):
        return sum(c.isalnum() for c in text) > 6
    words = re.findall(r"[^\W\d_]+(?:['’-][^\W\d_]+)*", text)
    return len(words) > 3 and not (len(words) <= 5 and text.endswith("!"))


def says_nothing_was_found(sentence: str) -> bool:
    """Whether a sentence says only that the documents hold no answer.

    >>> says_nothing_was_found("I found nothing on that."), says_nothing_was_found("Marie Curie.")
    (True, False)
    """
    return is_absence_line(sentence) or bool(_NOTHING_FOUND.search(sentence) and not _TURNS.search(sentence))
