"""Words that stand in every text of a language and tell nothing of what a question is about. Data, no code.

About forty to a hundred of each of seven languages, chosen by hand from what questions are made of. Never a negation:
"not covered", "sans", "kein" and "ohne" make another question of it. So the Portuguese "no" (in the) is left out.
"""

from __future__ import annotations

from typing import Final

FUNCTION_WORDS: Final[dict[str, frozenset[str]]] = {
    language: frozenset(words.split())
    for language, words in {
        "en": (
            "a an and are as at be been by can could did do does for from had has have he how i in is it its my of on"
            " or our she that the their there these they this those to was we were what when where which who whom whose"
            " why will with would you your"
        ),
        "fr": (
            "a à au aux avait avec avons c ce ces cet cette combien comment d dans de des du elle elles en est et eu il"
            " ils j je l la le les leur leurs m ma mes mon n nos notre nous on ont ou où par peut pour pourquoi qu"
            " quand que quel quelle quelles quels qui quoi s sa se ses son sont sur t te tu un une va vos votre vous y"
            " étaient était été être"
        ),
        "de": (
            "am an auf aus bei beim bin bis da das dem den der des die dies diese diesem diesen dieser dieses du ein"
            " eine einem einen einer eines er es für hat hatte haben ich ihr im in ist kann man mein mit oder seit sie"
            " sind so um und uns unser vom von vor wann war waren warum was welche welchem welchen welcher welches wem"
            " wen wenn wer werden wessen wie wieso wieviel wir wird wo womit woran wozu wurde wurden zu zum zur über"
        ),
        "es": (
            "a al como con cuál cuáles cuándo cuánta cuántas cuánto cuántos cómo de del dónde el en era eran es está"
            " están estaba fue fueron ha han hay la las le les lo los me mi o para por que qué quién quiénes se ser si"
            " son su sus un una unas uno unos y ya"
        ),
        "it": (
            "a ad al alla alle che chi ci come con cosa cui da dal dalla dei del della delle di dove e ed era erano fu"
            " gli ha hanno i il in la le lo loro nel nella o per perché qual quale quali quando quanta quante quanti"
            " quanto se si sono su sul sulla suo un una uno è"
        ),
        "pt": (
            "a ao aos as com como da das de do dos e em era eram está estão foi foram há na nas nos o onde os ou"
            " para pela pelo por porque porquê qual quais quando quanta quantas quanto quantos que quem se ser seu seus"
            " sua suas são um uma é"
        ),
        "nl": (
            "aan als bij dat de deze die dit een en er had hebben heeft het hoe hoeveel hun ik in is kan met naar of om"
            " onze op te uit van voor waar waarom waren was wat welk welke wie wij worden wordt zijn zij"
        ),
    }.items()
}
