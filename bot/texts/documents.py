"""What the app says in Slack of the documents that there are, in lists and the Home tab: English, then French."""

from __future__ import annotations

from typing import Final

TEXTS: Final[dict[str, tuple[str, str]]] = {
    # -- the command -------------------------------------------------------------------------------------------------
    "docs_looking": ("One moment …", "Un instant …"),
    "docs_help_title": ("What you can do with {command}", "Ce que vous pouvez faire avec {command}"),
    "docs_help_add": (
        "add files, a link or text; with an address behind it, that page",
        "ajouter des fichiers, un lien ou du texte ; suivi d'une adresse, cette page",
    ),
    "docs_help_list": (
        "the documents that you can read; with words behind it, those with the words in their names",
        "les documents que vous pouvez lire ; suivi de mots, ceux dont le nom les contient",
    ),
    "docs_help_status": (
        "what is being read, what waits for your word, and what went wrong",
        "ce qui est en cours de lecture, ce qui attend votre réponse, et ce qui a échoué",
    ),
    "docs_help_search": (
        "the passages on something, word for word, without Claude",
        "les passages sur un sujet, mot pour mot, sans Claude",
    ),
    "docs_help_remove": ("take a document out", "retirer un document"),
    "docs_help_words": ("words", "mots"),
    "docs_help_address": ("address", "adresse"),
    "docs_help_below": (
        "You alone see what I answer to it. To ask a question, use {command}.",
        "Mes réponses ne sont visibles que de vous. Pour poser une question, utilisez {command}.",
    ),
    "docs_unknown": ("I do not know “{word}”.", "Je ne connais pas « {word} »."),
    "docs_search_what": (
        "Say what to search for: {command} search words.",
        "Dites-moi quoi chercher : {command} search mots.",
    ),
    # -- lists -------------------------------------------------------------------------------------------------------
    "docs_you_can_read": (
        "You can read {count} document.|You can read {count} documents.",
        "Vous pouvez lire {count} document.|Vous pouvez lire {count} documents.",
    ),
    "docs_with_words": (
        "{count} document with “{words}” in its name.|{count} documents with “{words}” in their names.",
        "{count} document dont le nom contient « {words} ».|{count} documents dont le nom contient « {words} ».",
    ),
    "docs_none": (
        "There are no documents yet that you may read.",
        "Il n'y a pas encore de document que vous puissiez lire.",
    ),
    "docs_none_with": (
        "No document that you may read has “{words}” in its name.",
        "Aucun document que vous puissiez lire n'a « {words} » dans son nom.",
    ),
    "docs_more": (
        "{count} more: add words to find it, {command} list words.|{count} more: add words to find them, {command} list"
        " words.",
        "Encore {count} : ajoutez des mots pour le trouver, {command} list mots.|Encore {count} : ajoutez des mots pour"
        " les trouver, {command} list mots.",
    ),
    "docs_more_to_remove": (
        "{count} more: add words to find it, {command} remove words.|{count} more: add words to find them, {command}"
        " remove words.",
        "Encore {count} : ajoutez des mots pour le trouver, {command} remove mots.|Encore {count} : ajoutez des mots"
        " pour les trouver, {command} remove mots.",
    ),
    "docs_unsure": (
        "I cannot check right now all that you may read, so there may be more. Look again in a minute.",
        "Je ne peux pas vérifier en ce moment tout ce que vous pouvez lire : il y en a peut-être d'autres. Revenez dans"
        " une minute.",
    ),
    "docs_add": ("Add documents", "Ajouter des documents"),
    "docs_remove_one": ("Remove a document", "Retirer un document"),
    "docs_remove": ("Remove", "Retirer"),
    # -- who may read it ---------------------------------------------------------------------------------------------
    "docs_for_workspace": ("All employees", "Tous les employés"),
    "docs_for_everyone": ("Everybody, guests too", "Tout le monde, invités compris"),
    "docs_for_channel": ("#{name}", "#{name}"),
    "docs_for_conversation": ("One conversation", "Une conversation"),
    "docs_for_you": ("Only you", "Vous uniquement"),
    # -- its state ---------------------------------------------------------------------------------------------------
    "docs_state_ready": ("Ready", "Prêt"),
    "docs_state_waiting": ("Waiting its turn", "En attente"),
    "docs_state_reading": ("Being read", "En cours de lecture"),
    "docs_state_indexing": ("Indexing: {done} of {total} passages", "Indexation : passage {done} sur {total}"),
    "docs_state_renewing": (
        "Ready; a newer version is being read",
        "Prêt ; une version plus récente est en cours de lecture",
    ),
    "docs_state_failed": ("Not added", "Non ajouté"),
    "docs_not_renewed": (
        "The newer version could not be taken, the older one answers. {why}",
        "La nouvelle version n'a pas pu être reprise ; les réponses viennent de l'ancienne. {why}",
    ),
    "docs_failed_away": (
        "A service that is needed for it did not answer. Add it again later, or ask an administrator.",
        "Un service nécessaire n'a pas répondu. Ajoutez-le de nouveau plus tard, ou demandez à un administrateur.",
    ),
    "docs_added_by": ("added by {name}", "ajouté par {name}"),
    "docs_added_by_you": ("added by you", "ajouté par vous"),
    "docs_cost": ("cost {cost}", "coût {cost}"),
    "docs_failed_contexts": (
        "{count} passage without its context|{count} passages without their contexts",
        "{count} passage sans son contexte|{count} passages sans leurs contextes",
    ),
    # -- age ---------------------------------------------------------------------------------------------------------
    "age_now": ("just now", "à l'instant"),
    "age_minutes": ("{count} minute ago|{count} minutes ago", "il y a {count} minute|il y a {count} minutes"),
    "age_hours": ("{count} hour ago|{count} hours ago", "il y a {count} heure|il y a {count} heures"),
    "age_days": ("{count} day ago|{count} days ago", "il y a {count} jour|il y a {count} jours"),
    # -- status ------------------------------------------------------------------------------------------------------
    "docs_at_work": ("Being read", "En cours de lecture"),
    "docs_nothing_at_work": ("Nothing is being read just now.", "Rien n'est en cours de lecture."),
    "docs_asking": ("Waiting for your word", "En attente de votre réponse"),
    "docs_answer_there": ("Answer under my direct message", "Répondez sous mon message direct"),
    "docs_not_taken": ("Not added", "Non ajoutés"),
    "docs_in_all": (
        "In the whole workspace: {count} document.|In the whole workspace: {count} documents.",
        "Dans tout l'espace de travail : {count} document.|Dans tout l'espace de travail : {count} documents.",
    ),
    "docs_and_more": ("and {count} more", "et {count} de plus"),
    "docs_money": (
        "Spent today (UTC): {today}. In all: {total}.",
        "Dépensé aujourd'hui (UTC) : {today}. En tout : {total}.",
    ),
    "docs_money_capped": (
        "Spent today (UTC): {today} of {cap}. In all: {total}.",
        "Dépensé aujourd'hui (UTC) : {today} sur {cap}. En tout : {total}.",
    ),
    "docs_retry": (
        "{count} passage has no context from Claude; “python -m indexer retry” makes up for it.|{count} passages have"
        " no context from Claude; “python -m indexer retry” makes up for them.",
        "{count} passage n'a pas de contexte de Claude ; « python -m indexer retry » y remédie.|{count} passages"
        " n'ont pas de contexte de Claude ; « python -m indexer retry » y remédie.",
    ),
    # -- removing ----------------------------------------------------------------------------------------------------
    "removing_title": ("Remove a document", "Retirer un document"),
    "removing_loading": ("Looking what you may remove …", "Je regarde ce que vous pouvez retirer …"),
    "removing_working": ("Removing …", "Je retire …"),
    "removing_which": ("Which document?", "Quel document ?"),
    "removing_rights": (
        "Whoever added a document can remove it, and administrators.",
        "La personne qui a ajouté un document peut le retirer, et les administrateurs aussi.",
    ),
    "removing_go_on": ("Go on", "Continuer"),
    "removing_none": (
        "There is no document that you may remove. Whoever added a document can remove it, and administrators.",
        "Il n'y a aucun document que vous puissiez retirer. La personne qui a ajouté un document peut le retirer, et"
        " les administrateurs aussi.",
    ),
    "removing_none_with": (
        "No document that you may remove has “{words}” in its name.",
        "Aucun document que vous puissiez retirer n'a « {words} » dans son nom.",
    ),
    "removing_sure": ("Remove this document?", "Retirer ce document ?"),
    "removing_means": (
        "From then on no answer uses it. What it was made from, in Slack or elsewhere, stays as it is.",
        "Aucune réponse ne l'utilisera plus. Ce dont il provient, dans Slack ou ailleurs, reste tel quel.",
    ),
    "removing_done": ("{title} is no longer in the documents.", "{title} n'est plus dans les documents."),
    "removing_gone": (
        "This document is not there any more, or you may not read it.",
        "Ce document n'est plus là, ou vous ne pouvez pas le lire.",
    ),
    "removing_not_yours": (
        "Only whoever added this document, or an administrator, can remove it.",
        "Seuls les administrateurs et la personne qui a ajouté ce document peuvent le retirer.",
    ),
    "removing_not_opened": (
        "Slack could not open the form. Try again.",
        "Slack n'a pas pu ouvrir le formulaire. Réessayez.",
    ),
    # -- the Home tab ------------------------------------------------------------------------------------------------
    "home_title": ("Your documents", "Vos documents"),
    "home_how_to_ask": (
        "Ask me about them: write to me under Messages, mention me in a channel, or use {command}.",
        "Interrogez-moi à leur sujet : écrivez-moi dans l'onglet Messages, mentionnez-moi dans un"
        " canal, ou utilisez {command}.",
    ),
    "home_open": ("Open", "Ouvrir"),
    "home_to_everyone": ("Readable by guests", "Lisible par les invités"),
    "home_not_to_guests": ("No longer readable by guests", "Plus lisible par les invités"),
    "home_to_workspace": ("All employees may read it", "Lisible par tous les employés"),
    "home_readdressing": ("Changing who may read {title} …", "Je change qui peut lire {title} …"),
    "home_readdressed_everyone": (
        "Everybody in this workspace may now read {title}, guests too.",
        "Tout le monde dans cet espace peut désormais lire {title}, invités compris.",
    ),
    "home_readdressed_workspace": (
        "All employees, and no guests, may now read {title}.",
        "Tous les employés, et aucun invité, peuvent désormais lire {title}.",
    ),
    "home_not_readdressed": (
        "Who may read {title} could not be changed: {why}",
        "Impossible de changer qui peut lire {title} : {why}",
    ),
    "home_admins_only": (
        "Only an administrator can change who may read a document.",
        "Seul un administrateur peut changer qui peut lire un document.",
    ),
}
