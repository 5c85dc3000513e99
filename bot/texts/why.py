"""Why a source was found: what the form with the passages, and the console's ``/why``, say of it."""

from __future__ import annotations

from typing import Final

TEXTS: Final[dict[str, tuple[str, str]]] = {
    "found_one_way": ("Found {way}.", "Trouvé {way}."),
    "found_two_ways": ("Found {first} and {second}.", "Trouvé {first} et {second}."),
    "found_one_way_for": ("Found for “{query}” {way}.", "Trouvé pour « {query} » {way}."),
    "found_two_ways_for": (
        "Found for “{query}” {first} and {second}.",
        "Trouvé pour « {query} » {first} et {second}.",
    ),
    "by_meaning": ("by meaning ({rank})", "par le sens ({rank})"),
    "by_words": ("by the words “{words}” ({rank})", "par les mots « {words} » ({rank})"),
    "by_its_words": ("by its words ({rank})", "par ses mots ({rank})"),
    "words_in_context": ("Only its context has “{words}”.", "Seul son contexte contient « {words} »."),
    "words_in_title": ("Only the title has “{words}”.", "Seul le titre contient « {words} »."),
    "words_in_headings": (
        "Only title and headings have “{words}”.",
        "Seuls le titre et les intertitres contiennent « {words} ».",
    ),
    "context_nearer": (
        "By the meaning of its context alone it would be {rank}.",
        "Par le sens de son seul contexte, il serait {rank}.",
    ),
    "reranked": (
        "For the answer it was read once more beside the question, and got {score}.",
        "Pour la réponse, il a été relu à côté de la question et a obtenu {score}.",
    ),
    "ranks_now": (
        "Ranks are among the passages that you can read now.",
        "Les rangs sont parmi les passages que vous pouvez lire à présent.",
    ),
    "why_not": (
        "The searches of this answer do not find it now.",
        "Les recherches de cette réponse ne le trouvent pas à présent.",
    ),
}
