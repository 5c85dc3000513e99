"""Why something of Slack's is not added, and what stands in a kept conversation: English first, then French."""

from __future__ import annotations

from typing import Final

TEXTS: Final[dict[str, tuple[str, str]]] = {
    "slack_did_not_tell": (
        "Slack did not tell whether you may read {name}. Add it again in a minute.",
        "Slack n'a pas dit si vous pouvez lire {name}. Ajoutez-le de nouveau dans une minute.",
    ),
    "file_not_yours": (
        "I add files that are yours, or that were shared where both you and I are members. Share {name} in such a"
        " channel, or attach it yourself.",
        "J'ajoute les fichiers qui sont à vous, ou partagés là où vous et moi sommes membres. Partagez {name} dans un"
        " tel canal, ou joignez-le vous-même.",
    ),
    "message_out_of_sight": (
        "I add what is said where both you and I are members, and {name} is not there. Invite me to its channel, then"
        " add it again.",
        "J'ajoute ce qui se dit là où vous et moi sommes membres, et {name} n'y est pas. Invitez-moi dans son canal,"
        " puis ajoutez-le de nouveau.",
    ),
    "message_gone": (
        "{name} is not there any more. Somebody deleted it.",
        "{name} n'est plus là. Quelqu'un l'a supprimé.",
    ),
    "message_no_scope": (
        "This app may not read messages there, so I could not add {name}. Ask an administrator to install it again,"
        " with the scopes of its manifest.",
        "L'application n'a pas le droit d'y lire les messages : je n'ai pas pu ajouter {name}. Demandez à un"
        " administrateur de la réinstaller avec les autorisations de son manifeste.",
    ),
    "message_not_read": (
        "Slack did not show me all of {name} just now. Add it again in a minute.",
        "Slack ne m'a pas montré tout {name} à l'instant. Ajoutez-le de nouveau dans une minute.",
    ),
    "message_empty": (
        "There is no text in {name}. If there is a file in it, add the file.",
        "Il n'y a pas de texte dans {name}. S'il contient un fichier, ajoutez le fichier.",
    ),
    "nothing_to_keep": (
        "There is no answer in that message of mine, or it is not kept any more. Ask again, and save the new answer.",
        "Il n'y a pas de réponse dans ce message de ma part, ou elle n'est plus conservée. Reposez la question, et"
        " enregistrez la nouvelle réponse.",
    ),
    "answer_was_replaced": (
        "The question was edited since, and a newer answer takes the place of this one. Save that one.",
        "La question a été modifiée depuis, et une réponse plus récente remplace celle-ci. Enregistrez celle-là.",
    ),
    "answer_outdated": (
        "This answer quotes a document that was removed since, or that you may not read. Ask again, and save the new"
        " answer.",
        "Cette réponse cite un document qui a été retiré depuis, ou que vous ne pouvez pas lire. Reposez la question,"
        " puis enregistrez la nouvelle réponse.",
    ),
    # -- in what is made of a conversation ---------------------------------------------------------------------------
    "answer_left_out": (
        "(An answer is left out here: it quotes a document that was removed since, or that may not be read.)",
        "(Une réponse est omise ici : elle cite un document retiré depuis, ou qui ne peut pas être lu.)",
    ),
    "transcript_sources": ("Sources:", "Sources :"),
}
