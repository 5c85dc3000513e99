"""What in an answer is a statement of fact, and so needs a citation.

By shape alone, for any language: a sentence that is long enough to say something, that is no open question, short
heading, list introduction or label, and that does not say that nothing was found.
"""

from __future__ import annotations

import re

from bot.answering.languages import ABSENT

SHORT = 3  # words that state something only where they end as a sentence does: "The CEO resigned."
LONGEST_HEADING = 6  # words; a longer one states something
LONGEST_QUESTION = 9  # words; a longer one that offers nothing and asks for nothing implies something

_HEADING = re.compile(r"#{1,6}\s|\*\*[^*]+\*\*$|__[^_]+__$")
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_GREEK = re.compile("[\u0370-\u03ff]")  # its question mark is ";"
_LIST_MARK = re.compile(r"^\s*(?:[-*+•–]|\(?\w{1,2}[.)])\s+")
_TRAILING = "\"'”’»)】」』*_ \t\r\n"
# Scripts that put no spaces between words: there a sentence is measured in characters.
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\u0e00-\u0e7f]")
# An answer that says that it has none, or what it is about to do, states nothing about the world.
_NOTHING_FOUND = re.compile(
    r"\bI (?:found|find) (?:nothing|no\b)"
    r"|\bI (?:could not|couldn['’]t|cannot|can['’]t|did not|didn['’]t|was (?:not able|unable) to|am (?:not able"
    r"|unable) to) "
    r"(?:find|see|look|search|answer|check|tell|say|locate|determine|confirm|read)\b"
    r"|\b(?:documents?|sources?|passages?|results?)\b[^.]{0,60}\b(?:do|does|did) ?(?:not|n['’]t) "
    r"(?:say|mention|cover|state|contain|specify|give|include|tell|indicate)"
    r"|\bno (?:documents?|passages?|information)\b[^.]{0,60}\b(?:found|mentions?|says?|covers?)"
    r"|\bje n['’]ai (?:rien|pas|aucun\w*)\b[^.]{0,20}\btrouvé"
    r"|\bdocuments? (?:ne|n['’])\s?(?:\w+ )?(?:pas|rien|aucun)|\bdocuments? ne [^.]{0,30}\bpas\b"
    r"|\bje (?:n['’]ai pas pu|ne (?:peux|trouve|vois|sais) (?:pas|rien))\b"
    r"|\b(?:no (?:pude|puedo|he podido|encuentro)|non (?:posso|ho potuto|sono riuscit[oa]|trovo)"
    r"|não (?:consegui|pude|posso|encontro)|ik (?:kon|kan) [^.]{0,60}\bniet)\b"
    r"|(?:調べ|見つけ|お答え)[^。]{0,10}(?:ません|できません)|我(?:无法|不能|没能|没有)"
    r"|\b(?:habe|konnte|kann) ich\b[^.]{0,60}\b(?:nichts|keine\w*|nicht)\b|\b(?:kon|kan) ik\b[^.]{0,60}\bniet\b"
    r"|\bich (?:habe|konnte|kann|finde) [^.]{0,60}\b(?:nichts|keine\w*|nicht)\b"
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


# "Not in your documents: the moon is made of cheese and weighs 5 tons": no name of what is missing.
_TELLS_A_FIGURE = re.compile(
    r"\b(?:is|are|was|were|has|have|had|costs?|weighs?|est|sont|était|ist|sind|war|hat|kostet|es|son|era|è|sono"
    r"|é|são|kost)\b"
    r"[^.]{0,200}\d",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"\b(?:who|whom|whose|what|when|where|why|how|which|whether|if|that|qui|que|quel\w*|quand|où|pourquoi"
    r"|comment|combien|si"
    r"|wer|wen|wem|was|wann|wo|warum|wie|welche\w*|ob|quién|qué|cuándo|dónde|cómo|cuánt\w+|cuál\w*|chi|che"
    r"|quando|dove|come"
    r"|quant\w+|qual\w*|quem|onde|como|wie|wat|waar|waarom|hoe)\b",
    re.IGNORECASE,
)
# Questions that tell something ("Did you know that …?"), and those that offer or ask for something, however long.
_SUGGESTS = re.compile(
    r"\W*(?:did you know|do you know that|is it not|is ?n['’]t it|was ?n['’]t|savez[- ]vous que|saviez[- ]vous"
    r"|n['’]est-ce pas"
    r"|wussten sie|wusstest du|sab[ií]as? que|sab[ií]a usted|lo sapev\w+|sapev\w+|sabia que|wist (?:u|je))",
    re.IGNORECASE,
)
_OFFERS = re.compile(
    r"\W*(?:(?:would|do|did|are|can|could|will|have|shall|should|may) (?:you|I|we)\b|what|which|who|when|where|why|how"
    r"|voulez|souhaitez|pouvez|puis-je|dois-je|quel|qui|que\b|quand|comment|möchte|meinen|soll|kann ich|können"
    r"|wollen|welche|was|wer|wann"
    r"|wie|quiere|desea|puede|qué|cuál|vuole|posso|deseja|quer|wilt|kunt|zal)",
    re.IGNORECASE,
)
# A few words that end in a full stop and say nothing but that somebody is polite, agrees or goes on.
_PHRASES = re.compile(
    r"\W*(?:(?:you(?:['’]re| are) (?:very )?welcome|my pleasure|of course|no problem|not at all|sure thing"
    r"|all right|very well"
    r"|(?:many )?thanks?(?: you)?(?: \w+){0,2}|thank you(?: \w+){0,2}|good (?:day|morning|afternoon|evening"
    r"|night|luck)|hello(?: \w+){0,2}|hi(?: \w+){0,2}|I see"
    r"|in (?:short|summary|brief|detail|addition|conclusion|general)|to sum up|for example|that said|as follows"
    r"|see (?:below|above)"
    r"|let me know|I hope so|that is all|that['’]s all|here (?:it is|you go|they are)|I give up|yes,? (?:it is"
    r"|indeed|of course)"
    r"|avec plaisir|de rien|je vous en prie|bien sûr|en (?:bref|résumé)|par exemple|tout à fait|bonne \w+"
    r"|merci(?: \w+){0,2}|bonjour(?: \w+){0,2}"
    r"|gern(?:e)? geschehen|sehr gerne?|bitte (?:schön|sehr)|zum beispiel|kein problem|vielen dank"
    r"|danke(?: \w+){0,2}|hallo(?: \w+){0,2}|guten \w+"
    r"|de nada|por supuesto|con (?:mucho )?gusto|por ejemplo|en resumen|muchas gracias|di niente|per esempio"
    r"|grazie mille"
    r"|por exemplo|em resumo|muito obrigad[oa]|graag gedaan|geen probleem|bij voorbeeld)"
    r"|はい|いいえ|わかりました|承知(?:しました|いたしました)?|どういたしまして|(?:はい、)?そうです|例えば|好的|不客气|没问题|例如|是的)\W*$",
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
    if not any(c.isalnum() for c in text):
        return False
    if is_absence_line(text):
        missing = re.split("[:：]", text, maxsplit=1)[-1]
        return bool(_TURNS.search(missing) or (_TELLS_A_FIGURE.search(missing) and not _ASKS.search(missing)))
    if _HEADING.match(text) and not text.rstrip(_TRAILING).endswith((".", "。")):
        return _length(text) > LONGEST_HEADING
    item = _LIST_MARK.match(text)
    text = _LIST_MARK.sub("", text)
    end = text.rstrip(_TRAILING)[-1:]
    if end in ("?", "？", "؟") or (end == ";" and _GREEK.search(text)):
        implies = _length(text) > LONGEST_QUESTION and not _OFFERS.match(text)
        return implies or (bool(_SUGGESTS.match(text)) and _length(text) > SHORT)
    if end in (":", "："):
        return False
    if (_NOTHING_FOUND.search(text) and not _TURNS.search(text)) or _FILLER.match(text) or _PHRASES.match(text):
        return False
    if any(c.isdigit() for c in text):
        return True
    length = _length(text)
    if item:
        return length > 0
    if text.endswith("!"):
        return length > SHORT + 2
    return length > SHORT or (length > 1 and end in (".", "。", ";", "．", "।"))


def _length(text: str) -> int:
    """In words; where no spaces are put between them, two characters count as one."""
    unspaced = len(_UNSPACED.findall(text))
    return unspaced // 2 + len(_WORD.findall(_UNSPACED.sub(" ", text)))


def says_nothing_was_found(sentence: str) -> bool:
    """Whether a sentence says only that the documents hold no answer.

    >>> says_nothing_was_found("I found nothing on that."), says_nothing_was_found("Marie Curie.")
    (True, False)
    """
    return is_absence_line(sentence) or bool(_NOTHING_FOUND.search(sentence) and not _TURNS.search(sentence))
