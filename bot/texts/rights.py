"""What the app says of who may do what with documents: English first, then French."""

from __future__ import annotations

from typing import Final

TEXTS: Final[dict[str, tuple[str, str]]] = {
    "may_not_add": (
        "You may not add documents here. Ask whoever set up this app to add them, or to allow it.",
        "Vous ne pouvez pas ajouter de documents ici. Demandez à qui a installé cette application de les "
        "ajouter, ou de vous y autoriser.",
    ),
    "add_in_channel": (
        "You can add documents for a channel that you and I are both in. Add this from within that channel.",
        "Vous pouvez ajouter des documents pour un canal dont nous sommes tous deux membres. Faites-le depuis ce "
        "canal.",
    ),
    "reaches_nobody": (
        "This comes from where it may not be taken any further, so I did not add it. Ask whoever wrote it to add it.",
        "Ceci ne doit pas sortir de l'endroit d'où il vient : je ne l'ai pas ajouté. Demandez à la personne qui l'a "
        "écrit de l'ajouter.",
    ),
}
