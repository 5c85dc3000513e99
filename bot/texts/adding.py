"""What the app says in Slack while documents are added: English first, then French."""

from __future__ import annotations

from typing import Final

TEXTS: Final[dict[str, tuple[str, str]]] = {
    # -- the message that moves --------------------------------------------------------------------------------------
    "adding_begins": ("I am on it …", "Je m'en occupe …"),
    "adding_untitled": ("the document", "le document"),
    "adding_waiting": ("{title} is next …", "C'est bientôt le tour de {title} …"),
    "adding_reading": ("Reading {title} …", "Je lis {title} …"),
    "adding_indexing_begins": ("Indexing {title} …", "J'indexe {title} …"),
    "adding_waits": (
        "Something that I need does not answer at the moment. I keep trying.",
        "Un service dont j'ai besoin ne répond pas pour le moment. Je continue d'essayer.",
    ),
    "adding_indexing": (
        "Indexing {title}: {done} of {count} passage|Indexing {title}: {done} of {count} passages",
        "J'indexe {title} : passage {done} sur {count}|J'indexe {title} : passage {done} sur {count}",
    ),
    "adding_ready": ("Ready. Ask me about {title}.", "C'est prêt. Interrogez-moi sur {title}."),
    "adding_there_already_by": (
        "{title} is there already, added by {name}; I have read it again. Ask me about it.",
        "{title} existe déjà, ajouté par {name} ; je l'ai relu. Interrogez-moi à ce sujet.",
    ),
    "adding_there_already": (
        "{title} is there already, added by somebody else; I have read it again. Ask me about it.",
        "{title} existe déjà, ajouté par quelqu'un d'autre ; je l'ai relu. Interrogez-moi à ce sujet.",
    ),
    "adding_refused": ("I could not add {title}.", "Je n'ai pas pu ajouter {title}."),
    "adding_refused_why": ("{title}: {why}", "{title} : {why}"),
    "adding_cancelled": ("{title} was not added.", "{title} n'a pas été ajouté."),
    "adding_removed": ("{title} is no longer in the documents.", "{title} n'est plus dans les documents."),
    "adding_asks": (
        "There is already a document like {title}.",
        "Il existe déjà un document semblable à {title}.",
    ),
    "adding_same_name": ("There is already a document {there}.", "Il existe déjà un document {there}."),
    "adding_same_text": (
        "{title} says nearly the same as {there}, which is there already.",
        "{title} dit presque la même chose que {there}, qui existe déjà.",
    ),
    "adding_same_title_and_text": (
        "{title}: a document with this title and nearly the same text is there already.",
        "{title} : il existe déjà un document de ce titre, au texte presque identique.",
    ),
    "adding_added_by": ("It was added by", "Il a été ajouté par"),
    "adding_on": ("on {date}", "le {date}"),
    "adding_added_on": ("It was added on {date}.", "Il a été ajouté le {date}."),
    "adding_may_not_replace": (
        "Only who added it, or an administrator, can replace it.",
        "Seuls les administrateurs et la personne qui l'a ajouté peuvent le remplacer.",
    ),
    "adding_asks_cost": (
        "Having Claude read {title} will cost about {cost}. Shall I go on?",
        "Faire lire {title} par Claude coûtera environ {cost}. Dois-je continuer ?",
    ),
    "adding_more": ("and {count} more", "et {count} de plus"),
    "adding_for": ("Who may get answers from this: {audience}", "Qui peut en tirer des réponses : {audience}"),
    "adding_cost": ("Cost: {cost}", "Coût : {cost}"),
    "adding_failed_contexts": (
        "The context of {count} passage failed; “python -m indexer retry” makes up for it.|The contexts of {count}"
        " passages failed; “python -m indexer retry” makes up for it.",
        "Le contexte de {count} passage manque ; « python -m indexer retry » y remédie.|Les contextes de {count}"
        " passages manquent ; « python -m indexer retry » y remédie.",
    ),
    "adding_button_try_it": ("Try it", "Essayer"),
    "adding_button_remove": ("Remove", "Retirer"),
    "adding_button_replace_it": ("Replace it", "Le remplacer"),
    "adding_button_keep_both": ("Keep both", "Garder les deux"),
    "adding_button_go_on": ("Go on", "Continuer"),
    "adding_button_cancel": ("Cancel", "Annuler"),
    # -- what becomes of it ------------------------------------------------------------------------------------------
    "audience_too_wide": (
        "It comes from where fewer people read. Add it for that channel or for yourself only, or ask an administrator.",
        "Cela vient d'un endroit que moins de personnes peuvent lire. Ajoutez-le pour ce canal ou pour vous"
        " uniquement, ou demandez à un administrateur.",
    ),
    "audience_not_yours": (
        "You cannot add documents for those readers; choose a channel that you and I are in.",
        "Vous ne pouvez pas ajouter de documents pour ces lecteurs ; choisissez un canal dont nous sommes tous deux"
        " membres.",
    ),
    "old_one_stays": (
        "I could not take out {title}; remove it from the list of documents.",
        "Je n'ai pas pu retirer {title} ; retirez-le depuis la liste des documents.",
    ),
    "contexts_capped": (
        "Today's budget for Claude is used up, so I find its passages by their own words only, for now.",
        "Le budget de Claude pour aujourd'hui est épuisé : pour l'instant, je ne trouve ses passages que par leurs"
        " propres mots.",
    ),
    "goes_with_its_source": (
        "If it is deleted in Slack, I forget it, too.",
        "S'il est supprimé dans Slack, je l'oublie aussi.",
    ),
    "source_deleted": (
        "I have forgotten {title}: what it was made of was deleted in Slack.",
        "J'ai oublié {title} : ce dont il provenait a été supprimé dans Slack.",
    ),
    # -- the form ----------------------------------------------------------------------------------------------------
    "form_title": ("Add to the documents", "Ajouter aux documents"),
    "form_loading": ("One moment …", "Un instant …"),
    "form_add": ("Add", "Ajouter"),
    "form_files": ("Files", "Fichiers"),
    "form_link": ("or a link", "ou un lien"),
    "form_text": ("or text", "ou du texte"),
    "form_what": ("What is to be added?", "Que faut-il ajouter ?"),
    "form_what_message": ("This message", "Ce message"),
    "form_what_thread": ("The whole thread", "Tout le fil"),
    "form_what_file": ("Its file {name}", "Son fichier {name}"),
    "form_what_files": ("Its {count} file|Its {count} files", "Son {count} fichier|Ses {count} fichiers"),
    "form_document_title": ("Title", "Titre"),
    "form_document_title_hint": ("Left empty, the document's own.", "Si ce champ reste vide : le titre du document."),
    "form_audience": ("Who may get answers from this?", "Qui peut en tirer des réponses ?"),
    "form_for_employees": ("All employees (not guests)", "Tous les employés (hors invités)"),
    "form_for_everybody": ("Everybody, guests too", "Tout le monde, invités compris"),
    "form_for_channel": (
        "#{name}, {count} member|#{name}, {count} members",
        "#{name}, {count} membre|#{name}, {count} membres",
    ),
    "form_for_conversation": (
        "This group conversation, {count} member|This group conversation, {count} members",
        "Cette conversation de groupe, {count} membre|Cette conversation de groupe, {count} membres",
    ),
    "form_for_me": ("Only me", "Moi uniquement"),
    "form_limited": (
        "It comes from where not everybody can read it, so no more can be chosen.",
        "Ceci vient d'un endroit que tout le monde ne peut pas lire : vous ne pouvez pas choisir plus large.",
    ),
    "form_beyond": (
        "Not everybody can read it where it comes from. As you administer this app, you may choose all the same.",
        "Là d'où il vient, tout le monde ne peut pas le lire. Comme vous administrez cette application, vous pouvez"
        " choisir malgré tout.",
    ),
    "form_deleted_file": (
        "If you delete the file in Slack, I forget it too.",
        "Si vous supprimez le fichier dans Slack, je l'oublie aussi.",
    ),
    "form_deleted_message": (
        "If the message or the file is deleted in Slack, I forget it too.",
        "Si le message ou le fichier est supprimé dans Slack, je l'oublie aussi.",
    ),
    "form_nothing": (
        "Nothing is given yet: attach a file, or give a link or text.",
        "Il n'y a encore rien : joignez un fichier, ou donnez un lien ou du texte.",
    ),
    "form_no_address": (
        "This is not one web address. Give one that begins with https://.",
        "Ce n'est pas une adresse web. Donnez-en une seule, qui commence par https://.",
    ),
    "form_one_title": (
        "A title is for one document. Leave it empty to add several.",
        "Un titre vaut pour un seul document. Laissez-le vide pour en ajouter plusieurs.",
    ),
    "form_choose_what": ("Choose what is to be added.", "Choisissez ce qu'il faut ajouter."),
    "form_choose_audience": ("Choose who may get answers from it.", "Choisissez qui peut en tirer des réponses."),
    "form_choose_again": (
        "This can no longer be chosen. Choose another, or only yourself.",
        "Ce choix n'est plus possible. Choisissez autre chose, ou vous uniquement.",
    ),
    "form_cannot_check": (
        "I cannot check right now who may read what. Send it again in a minute; nothing is lost.",
        "Je ne peux pas vérifier en ce moment qui peut lire quoi. Renvoyez-le dans une minute ; rien n'est perdu.",
    ),
    "form_cannot_check_yet": (
        "I cannot check right now who may read what. Open this form again in a minute.",
        "Je ne peux pas vérifier en ce moment qui peut lire quoi. Rouvrez ce formulaire dans une minute.",
    ),
    "form_not_kept": (
        "This could not be kept just now. Send it again in a moment; nothing is lost.",
        "Ceci n'a pas pu être enregistré. Renvoyez-le dans un instant ; rien n'est perdu.",
    ),
    "form_gone": (
        "This form is out of date. Close it and open it again.",
        "Ce formulaire est périmé. Fermez-le et rouvrez-le.",
    ),
    "form_out_of_sight": (
        "I read messages only where both you and I are members. Invite me to this channel (/invite), then try again.",
        "Je ne lis les messages que là où vous et moi sommes membres. Invitez-moi dans ce canal (/invite), puis"
        " réessayez.",
    ),
    "form_out_of_sight_direct": (
        "This conversation is between others than you and me, so I cannot read it. Copy what you need, and add it as"
        " text.",
        "Cette conversation a lieu sans moi : je ne peux pas la lire. Copiez ce qu'il vous faut, et ajoutez-le comme"
        " texte.",
    ),
    "form_not_opened": (
        "Slack could not open the form. Try again.",
        "Slack n'a pas pu ouvrir le formulaire. Réessayez.",
    ),
    # -- by the command ----------------------------------------------------------------------------------------------
    "adding_no_link": (
        "I can add a web address: {command} add https://…, with a title behind it if you like. {command} add alone"
        " opens a form for files and text.",
        "Je peux ajouter une adresse web : {command} add https://…, suivie d'un titre si vous voulez. {command} add"
        " seul ouvre un formulaire pour des fichiers et du texte.",
    ),
    "adding_too_many_links": (
        "I add up to {most} addresses at once. Send the others with another {command} add.",
        "J'ajoute jusqu'à {most} adresses à la fois. Envoyez les autres avec un autre {command} add.",
    ),
    "adding_link_is_none": (
        "A title is for one address, and one of these is no web address. Send only addresses, or one with its title.",
        "Un titre vaut pour une seule adresse, et l'une de celles-ci n'est pas une adresse web. N'envoyez que des"
        " adresses, ou une seule avec son titre.",
    ),
    "adding_links": (
        "I am adding {count} documents; our direct messages show how far they are.",
        "J'ajoute {count} documents et vous tiens au courant par message direct.",
    ),
    "linked_message": ("Message of {date}", "Message du {date}"),
    "linked_message_in": ("Message of {date} in #{channel}", "Message du {date} dans #{channel}"),
    "linked_file": ("File in Slack", "Fichier dans Slack"),
    "adding_link": (
        "I am adding {name}; our direct messages show how far it is. Who may get answers from it: {audience}.",
        "J'ajoute {name} et vous tiens au courant par message direct. Qui peut en tirer des réponses : {audience}.",
    ),
    "adding_link_later": (
        "I am adding {name}; our direct messages show how far it is.",
        "J'ajoute {name} et vous tiens au courant par message direct.",
    ),
    "adding_what_message": (
        "Slack did not tell which message this is. Try again.",
        "Slack n'a pas dit de quel message il s'agit. Réessayez.",
    ),
    # -- the buttons under the message that moves --------------------------------------------------------------------
    "adding_not_asked": (
        "This was decided already, or is not asked any more.",
        "C'est déjà décidé, ou la question ne se pose plus.",
    ),
    "adding_not_yours": (
        "Only who adds this can decide about it.",
        "Seule la personne qui l'ajoute peut en décider.",
    ),
    "adding_gone": (
        "This document is not there any more, or you may no longer read it.",
        "Ce document n'est plus là, ou vous ne pouvez plus le lire.",
    ),
    "adding_too_old": (
        "This message is too old for its buttons. {command} list shows the documents, {command} remove removes one.",
        "Ce message est trop ancien pour ses boutons. {command} list montre les documents, {command} remove en retire"
        " un.",
    ),
    "adding_try": (
        "What are the main points of “{title}”?",
        "Quels sont les points principaux de « {title} » ?",
    ),
}
