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
        "Slack ne m'a pas montré {name} en entier. Ajoutez-le de nouveau dans une minute.",
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
    "file_is_a_page": (
        "{name} is a web page, and not the file that its name promises: a sign-in page, probably. Download the file"
        " while signed in, and attach it.",
        "{name} est une page web, et non le fichier que son nom annonce : sans doute une page de connexion."
        " Téléchargez le fichier une fois connecté, et joignez-le.",
    ),
    "file_cancelled": (
        "{name} was not read to its end. Attach it again.",
        "{name} n'a pas été lu jusqu'au bout. Joignez-le à nouveau.",
    ),
    # -- a link ------------------------------------------------------------------------------------------------------
    "link_of_a_site": (
        "{name} cannot be read by its link. Export the document there and attach the file, or paste the text.",
        "{name} ne peut pas être lu par son lien. Exportez-y le document et joignez le fichier, ou collez le texte.",
    ),
    "link_behind_sign_in": (
        "{name} can only be read after signing in. Download the file while signed in, and attach it.",
        "{name} ne se lit qu'après connexion. Téléchargez le fichier une fois connecté, et joignez-le.",
    ),
    "link_is_a_script": (
        "{name} is empty until a script in a browser fills it. Print it to a PDF and attach that, or paste the text.",
        "{name} reste vide tant qu'un script du navigateur ne le remplit pas. Imprimez la page en PDF et joignez-le,"
        " ou collez le texte.",
    ),
    "link_sends_on": (
        "{name} only leads to another address. Open it and give the address that it leads to, or attach the file.",
        "{name} ne fait que mener à une autre adresse. Ouvrez-le et donnez l'adresse où il mène, ou joignez le"
        " fichier.",
    ),
    "link_not_public": (
        "{name} is not at a public address, and I fetch from those only. Download the file and attach it.",
        "{name} n'est pas à une adresse publique, et je ne lis que celles-là. Téléchargez le fichier et joignez-le.",
    ),
    "link_leads_nowhere": (
        "{name} is not there. Check the address.",
        "{name} est introuvable. Vérifiez l'adresse.",
    ),
    "link_no_address": (
        "{name} is no web address that I can read. Check the address, or attach the file.",
        "{name} n'est pas une adresse web que je sache lire. Vérifiez l'adresse, ou joignez le fichier.",
    ),
    "link_with_password": (
        "{name} holds a user name or password. Give the address without them, or attach the file.",
        "{name} contient un nom d'utilisateur ou un mot de passe. Donnez l'adresse sans eux, ou joignez le fichier.",
    ),
    "link_too_large": (
        "{name} is too large. Download it and attach a part of it.",
        "{name} est trop volumineux. Téléchargez-le et joignez-en une partie.",
    ),
    "link_not_fetched": (
        "{name} could not be fetched. Try again later, or download the file and attach it.",
        "{name} n'a pas pu être obtenu. Réessayez plus tard, ou téléchargez le fichier et joignez-le.",
    ),
    # -- in what is made of a conversation ---------------------------------------------------------------------------
    "answer_left_out": (
        "(An answer is left out here: it quotes a document that was removed since, or that may not be read.)",
        "(Une réponse est omise ici : elle cite un document retiré depuis, ou qui ne peut pas être lu.)",
    ),
    "transcript_sources": ("Sources:", "Sources :"),
}
