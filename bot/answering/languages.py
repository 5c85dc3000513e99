"""The few fixed words of an answer in the asker's language, and a guess of what that is.

A guess is all that is needed: Claude answers in the right language by itself; the tables only choose among labels, and
what they do not know gets English.
"""

from __future__ import annotations

import re

# The line that says what the documents do not hold. Claude is told these, and they are recognised in its answer.
ABSENT = {
    "en": "Not in your documents:",
    "fr": "Absent de vos documents :",
    "de": "Nicht in Ihren Dokumenten:",
    "es": "No está en sus documentos:",
    "it": "Non presente nei vostri documenti:",
    "pt": "Não consta nos seus documentos:",
    "nl": "Niet in uw documenten:",
    "ja": "文書にないこと:",
    "zh": "文档中没有:",
}

# What is put behind a statement that no checked citation supports: for all that was shown, the documents do not say it.
UNBACKED = {
    "en": "[not in your documents]",
    "fr": "[absent de vos documents]",
    "de": "[nicht in Ihren Dokumenten]",
    "es": "[no está en sus documentos]",
    "it": "[non presente nei vostri documenti]",
    "pt": "[não consta nos seus documentos]",
    "nl": "[niet in uw documenten]",
    "ja": "[文書にない]",
    "zh": "[文档中没有]",
}

# What stands in place of an address that is not that of a shown source.
NO_LINK = {
    "en": "(link removed)",
    "fr": "(lien retiré)",
    "de": "(Link entfernt)",
    "es": "(enlace eliminado)",
    "it": "(link rimosso)",
    "pt": "(link removido)",
    "nl": "(link verwijderd)",
    "ja": "(リンク削除)",
    "zh": "(链接已删除)",
}

NAMES = {
    "ar": "Arabic", "cs": "Czech", "da": "Danish", "de": "German", "el": "Greek", "en": "English", "es": "Spanish",
    "fi": "Finnish", "fr": "French", "he": "Hebrew", "hi": "Hindi", "hu": "Hungarian", "id": "Indonesian",
    "it": "Italian", "ja": "Japanese", "ko": "Korean", "nl": "Dutch", "no": "Norwegian", "pl": "Polish",
    "pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "sv": "Swedish", "th": "Thai", "tr": "Turkish",
    "uk": "Ukrainian", "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip

_COMMON = {
    "en": "the is are was were what which who how when where why does did do of to in and for with our can",
    "fr": "le la les des du un une est sont quel quelle quels quelles qui que quoi comment quand où pourquoi dans et"
    " pour avec nos notre au aux sur",
    "de": "der die das den dem des ein eine ist sind war was welche welcher wer wie wann wo warum und für mit"
    " unsere im zu",
    "es": "el la los las un una es son fue qué cuál cuáles quién cómo cuándo dónde cuánto por para con del nuestro y"
    " en",
    "it": "il lo la gli le un una è sono che quale quali chi come quando dove perché per con del della nostro di e",
    "pt": "o a os as um uma é são foi que qual quais quem como quando onde por para com do da dos das nosso e em",
    "nl": "de het een is zijn was wat welke wie hoe wanneer waar waarom en voor met ons onze van in op",
}
_VOCABULARY = {language: frozenset(words.split()) for language, words in _COMMON.items()}
_SCRIPTS = (
    ("ja", re.compile("[\u3040-\u30ff]")),
    ("ko", re.compile("[\uac00-\ud7af]")),
    ("zh", re.compile("[\u4e00-\u9fff]")),
    ("ru", re.compile("[\u0400-\u04ff]")),
    ("ar", re.compile("[\u0600-\u06ff]")),
)


def guess(text: str, default: str = "en") -> str:
    """The language of a short text as an ISO 639-1 code; ``default`` where nothing tells.

    >>> guess("Quelle est la cause de l'incident ?"), guess("予算はいくらですか"), guess("INC-2023-04-011")
    ('fr', 'ja', 'en')
    """
    for language, script in _SCRIPTS:
        if script.search(text):
            return language
    words = re.findall(r"[^\W\d_]+", text.casefold())
    counts = {language: sum(word in known for word in words) for language, known in _VOCABULARY.items()}
    best = max(counts, key=lambda language: counts[language])  # of equals the first: English before the others
    return best if counts[best] else default


def is_common(word: str) -> bool:
    """Whether a word, in lower case, is one that questions are full of in any language of the table."""
    return any(word in known for known in _VOCABULARY.values())


def in_language(table: dict[str, str], language: str) -> str:
    """The entry for ``language``, or the English one."""
    return table.get(language, table["en"])


def name(code: str) -> str:
    """``fr`` → ``French``; an unknown code as it is."""
    return NAMES.get(code, code)
