"""What asks for no facts: a greeting, thanks, a farewell. Closed lists, so that no question passes for one.

A word that is not in them costs a search and nothing else; a question taken for a greeting would cost the truth.
"""

from __future__ import annotations

import re
import unicodedata

from bot.answering.statements import is_statement
from indexer import sentences

MOST_WORDS = 4

_PHRASES = """
hi|hello|hey|hiya|good morning|good afternoon|good evening|good night|good day|thanks|thank you|thank you so much
thank you very much|thanks a lot|many thanks|thx|cheers|bye|bye bye|goodbye|see you|ok|okay
bonjour|bonsoir|salut|coucou|merci|merci beaucoup|merci bien|au revoir|à bientôt|bonne journée|bonne soirée
hallo|moin|servus|guten tag|guten morgen|guten abend|gute nacht|grüß gott|grüezi|danke|danke schön|dankeschön
vielen dank|danke sehr|tschüss|auf wiedersehen
hola|buenos días|buenos dias|buenas tardes|buenas noches|buenas|gracias|muchas gracias|adiós|adios|hasta luego
ciao|buongiorno|buonasera|buonanotte|salve|grazie|grazie mille|arrivederci
olá|ola|oi|bom dia|boa tarde|boa noite|obrigado|obrigada|muito obrigado|muito obrigada|tchau|adeus
hoi|goedemorgen|goedemiddag|goedenavond|dag|bedankt|dank je|dank je wel|dank u|dank u wel|tot ziens|doei
hej|hei|tack|takk|tak|kiitos|cześć|dzień dobry|dziękuję|ahoj|dobrý den|děkuji|привет|здравствуйте|спасибо
до свидания|merhaba|teşekkürler|teşekkür ederim|مرحبا|السلام عليكم|شكرا|שלום|תודה|नमस्ते|धन्यवाद
안녕|안녕하세요|감사합니다|고마워요|고맙습니다|สวัสดี|สวัสดีครับ|สวัสดีค่ะ|ขอบคุณ|ขอบคุณครับ|ขอบคุณค่ะ
"""
_ADDRESSED = "situate|there|all|everyone|everybody|team|again|à tous|à toutes|zusammen|a todos|a tutti|a todas|allemaal"
_UNSPACED = (
    "こんにちは|こんばんは|おはようございます|おはよう|はじめまして|よろしくお願いします|ありがとうございました"
    "|ありがとうございます|ありがとう|どうもありがとう|どうも|さようなら|またね|お疲れ様です|お疲れさまです"
    "|你好|您好|大家好|早上好|下午好|晚上好|早安|晚安|谢谢你|谢谢您|谢谢|多谢|謝謝|再见|再見"
)


def _any(phrases: str) -> str:
    return "|".join(re.escape(phrase) for line in phrases.strip().splitlines() for phrase in line.split("|"))


_NAME = re.compile(r"\bsituate\b")
_GREETING = re.compile(
    rf"(?:(?:{_any(_ADDRESSED)}) )*(?:(?:{_any(_PHRASES)}) |(?:{_UNSPACED}) ?)(?:(?:{_any(_PHRASES + _ADDRESSED)}) "
    rf"|(?:{_UNSPACED}) ?)*"
)
# The words of an offer of help; a sentence of these alone says nothing that a document could.
_OFFER = frozenset(
    """
    a about again all am and any anything are ask at be can do documents feel find for free from glad happy have hello
    help here hi how i i'd i'll i'm if in is just know let like look me more much need of other question questions ready
    search so team's team thank thanks that the there time to today up welcome what whenever with would you
    you're you've your answer answers assist good morning afternoon evening day great bye goodbye see soon nice
    avec plaisir je j'en prie vous en de rien bonjour suis là pour aider répondre à vos questions documents votre équipe
    partir des les n'hésitez pas posez moi aide puis comment bonne journée merci au revoir dans sur besoin si d'autres
    gern gerne geschehen bitte hallo ich beantworte fragen aus ihren dokumenten bin da zu helfen kann ihnen wie womit
    zur verfügung stehe weitere haben sie schönen tag noch und guten mit den
    con gusto hola puedo ayudarle ayudarte ayudar preguntas sus tus documentos estoy aquí para nada con gusto prego
    ciao posso aiutarti aiutarla domande sui documenti sono qui per olá posso ajudar perguntas seus documentos graag
    gedaan ik help vragen over uw documenten
    """.split()  # noqa: SIM905 a vocabulary reads better as text
)
_UNSPACED_OFFER = re.compile(
    "(?:こんにちは|どういたしまして|また|いつでも|ご?質問|して|ください|お?気軽に|お|手伝い|できます|何か|こと|が|は|を|に"
    "|あれば|ありましたら|ございましたら|どうぞ|お答えします|答えます|文書|ドキュメント|について|から|の"
    "|你好|您好|不客气|不用谢|我|可以|帮助|帮|您|你|的|请|随时|提问|问题|有|任何|很高兴|为|服务|回答|文档|根据|关于)+"
)


def is_small_talk(question: str, reply: str) -> bool:
    """Whether ``reply`` may stand without any search: nothing was asked, and nothing is stated.

    The question is nothing but greetings, thanks and farewells of the list, four words at most beside the bot's name,
    signs and emoji. The reply has no statement; an offer of help is none.

    >>> is_small_talk("Merci beaucoup !", "Avec plaisir !"), is_small_talk("ok why", "Because it is so.")
    (True, False)
    >>> is_small_talk("Hello", "Hello! The budget is overspent by half.")
    False
    """
    words = _plain(question)
    if len(_NAME.sub("", words).split()) > MOST_WORDS or not _GREETING.fullmatch(f"{words} "):
        return False
    return not any(is_statement(sentence) and not _is_offer(sentence) for sentence in sentences(reply, None))


def _is_offer(sentence: str) -> bool:
    words = _plain(sentence)
    return all(word in _OFFER or _UNSPACED_OFFER.fullmatch(word) for word in words.split())


def _plain(text: str) -> str:
    """Words alone, in lower case, one space between two: letters with their marks, digits, apostrophes within words."""
    folded = re.sub("(?<=[^\\W\\d_])[’'](?=[^\\W\\d_])", "'", unicodedata.normalize("NFC", text).casefold())
    kept = "".join(c if c == "'" or unicodedata.category(c)[0] in "LMN" else " " for c in folded)
    kept = re.sub("[\ufe00-\ufe0f\u20e3]|(?<![^\\W\\d_])'|'(?![^\\W\\d_])", " ", kept)
    return " ".join(kept.split())
