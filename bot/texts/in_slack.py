"""What the app says in Slack only: English first, then French."""

from __future__ import annotations

from typing import Final

TEXTS: Final[dict[str, tuple[str, str]]] = {
    # -- attached files ----------------------------------------------------------------------------------------------
    "reading_file": ("Reading {name} …", "Je lis {name} …"),
    "file_gone": (
        "{name} is no longer in Slack, or I am not in its channel, so I could not read it. Attach it again.",
        "{name} n'est plus dans Slack, ou je ne suis pas dans son canal : je n'ai pas pu le lire. Joignez-le à"
        " nouveau.",
    ),
    "file_elsewhere": (
        "{name} is kept outside Slack, so I cannot read it. Attach the file itself.",
        "{name} est conservé hors de Slack : je ne peux pas le lire. Joignez le fichier lui-même.",
    ),
    "file_no_scope": (
        "Slack does not let me read {name}. An administrator must give the app the scope files:read and reinstall it.",
        "Slack ne me laisse pas lire {name}. Un administrateur doit accorder le droit files:read à l'application "
        "et la réinstaller.",
    ),
    "file_too_large": (
        "{name} has more than {limit} MB. Attach a part of it.",
        "{name} dépasse {limit} Mo. Joignez-en une partie.",
    ),
    "file_not_fetched": (
        "{name} could not be fetched from Slack. Attach it again in a moment.",
        "{name} n'a pas pu être récupéré depuis Slack. Joignez-le à nouveau dans un instant.",
    ),
    "file_empty": (
        "{name} is empty. Attach a file with text in it.",
        "{name} est vide. Joignez un fichier qui contient du texte.",
    ),
    "file_locked": (
        "{name} is protected with a password. Attach a copy without one.",
        "{name} est protégé par un mot de passe. Joignez une copie sans mot de passe.",
    ),
    "file_damaged": (
        "{name} is damaged or incomplete. Attach a whole copy of it.",
        "{name} est endommagé ou incomplet. Joignez-en une copie complète.",
    ),
    "file_without_text": (
        "{name} has no text in it. Attach a file with text.",
        "{name} ne contient pas de texte. Joignez un fichier qui en contient.",
    ),
    "file_is_scan": (
        "{name} is a scan, and no text recognition is installed here. Ask an administrator, or attach a PDF with text.",
        "{name} est un scan, et aucune reconnaissance de texte n'est installée ici. Demandez à un administrateur, ou "
        "joignez un PDF avec du texte.",
    ),
    "file_reads_slowly": (
        "{name} takes too long to read. Attach a part of it.",
        "{name} est trop long à lire. Joignez-en une partie.",
    ),
    "file_unpacks": (
        "{name} unpacks to far more than its size. Attach a part of it, or save it anew.",
        "{name} est bien plus gros une fois décompressé. Joignez-en une partie, ou enregistrez-le à nouveau.",
    ),
    "file_too_long": (
        "{name} is too long. Attach a part of it.",
        "{name} est trop long. Joignez-en une partie.",
    ),
    "file_unknown_kind": (
        "{name} is no document that I can read. Attach it as a PDF or as text.",
        "{name} n'est pas un document que je sache lire. Joignez-le en PDF ou en texte.",
    ),
    "file_is_archive": (
        "{name} is an archive. Unpack it and attach the documents that are in it.",
        "{name} est une archive. Décompressez-la et joignez les documents qu'elle contient.",
    ),
    "file_unreadable": (
        "{name} could not be read. Attach it as a PDF or as text.",
        "{name} n'a pas pu être lu. Joignez-le en PDF ou en texte.",
    ),
    "attached_read": (
        "I have read what you attached. What do you want to know?",
        "J'ai lu ce que vous avez joint. Que voulez-vous savoir ?",
    ),
    "file_takes_long": (
        "{name} is still being read. Ask again in a moment.",
        "{name} est encore en cours de lecture. Reposez la question dans un instant.",
    ),
    "endless_search": (
        "Claude went on searching and gave no answer.",
        "Claude a continué à chercher sans donner de réponse.",
    ),
    "no_answer": ("Claude gave no answer.", "Claude n'a pas donné de réponse."),
    "too_slow": ("It took too long.", "Cela a pris trop de temps."),
    "unreadable": ("Claude's answer could not be read.", "La réponse de Claude n'a pas pu être lue."),
    "cut_midway": (
        "The connection to Claude was cut in the middle of the answer.",
        "La connexion à Claude a été coupée au milieu de la réponse.",
    ),
    "declined": ("Claude declined to answer this.", "Claude a refusé de répondre à cette question."),
    "too_much": (
        "There was too much for Claude to read at once.",
        "Il y avait trop à lire pour Claude en une seule fois.",
    ),
    "cut_before_search": (
        "Claude was cut off before it had searched.",
        "Claude a été interrompu avant d'avoir cherché.",
    ),
    "paused": (
        "Claude paused in the middle of its answer.",
        "Claude s'est arrêté au milieu de sa réponse.",
    ),
    # -- in Slack ----------------------------------------------------------------------------------------------------
    "working_on_it": ("I am looking …", "Je cherche …"),
    "unknown_command": (
        "I do not know this command; ask me with {command} and a question.",
        "Je ne connais pas cette commande ; posez-moi une question avec {command}.",
    ),
    "none_for_all": (
        "I found no documents that everybody who reads here may read.",
        "Je n'ai trouvé aucun document que toutes les personnes présentes ici puissent lire.",
    ),
    "files_not_read": (
        "I did not read the files of that message; attach them to a question to me.",
        "Je n'ai pas lu les fichiers de ce message ; joignez-les à une question que vous me posez.",
    ),
    "readers_changed": (
        "Who reads here has changed meanwhile, so I begin again.",
        "Les personnes qui lisent ici ont changé entre-temps : je recommence.",
    ),
    "was_away": (
        "I was away when you asked this. Shall I answer now?",
        "J'étais absent quand vous avez posé cette question. Dois-je y répondre maintenant ?",
    ),
    "thread_incomplete": (
        "Slack did not show me all of this thread, so I may have missed what was said earlier.",
        "Slack ne m'a pas montré tout ce fil : ce qui a été dit plus tôt peut m'avoir échappé.",
    ),
    "answer_gone": (
        "This answer is not kept any more; ask again.",
        "Cette réponse n'est plus conservée ; reposez la question.",
    ),
    "question_gone": (
        "The question is not kept any more; ask it again.",
        "La question n'est plus conservée ; posez-la de nouveau.",
    ),
    "not_opened": (
        "Slack could not open the passages. Click again.",
        "Slack n'a pas pu ouvrir les passages. Cliquez à nouveau.",
    ),
    "not_kept": (
        "This could not be kept just now. Send it again in a moment.",
        "Ceci n'a pas pu être enregistré. Renvoyez-le dans un instant.",
    ),
    "not_asked": (
        "I could not ask: Slack did not take the message. Try again in a minute.",
        "Je n'ai pas pu demander : Slack n'a pas accepté le message. Réessayez dans une minute.",
    ),
    "guests_keep_none": (
        "Documents of one's own are for employees only. Ask me about the file in this thread.",
        "Seuls les employés peuvent avoir leurs propres documents. Interrogez-moi sur le fichier dans ce fil.",
    ),
    "nobody_to_ask": (
        "I know nobody here who added something close to this.",
        "Je ne connais personne ici qui ait ajouté quelque chose de proche.",
    ),
    "was_asked_directly": ("Asked, in a direct message.", "C'est demandé, par message direct."),
    "not_shared": (
        "I cannot share this: not everybody here may read all that it rests on, or a document has changed since. "
        "Ask me here again.",
        "Je ne peux pas partager cette réponse : certaines personnes ici ne peuvent pas lire tout ce sur quoi elle "
        "repose, ou un document a changé depuis. Posez-moi la question de nouveau ici.",
    ),
    "not_posted": (
        "I could not post it here. Invite me to this channel, then try again.",
        "Je n'ai pas pu publier ici. Invitez-moi dans ce canal, puis réessayez.",
    ),
    "adding": (
        "Adding {titles} to the documents … Our direct messages show how far it is.",
        "J'ajoute {titles} aux documents … Je vous tiens au courant par message direct.",
    ),
    "adding_here": ("Adding {titles} to the documents …", "J'ajoute {titles} aux documents …"),
    "adding_already": (
        "{titles}: added already, or about to be.",
        "{titles} : déjà ajouté, ou sur le point de l'être.",
    ),
    "attached_gone": (
        "The file is not kept any more; attach it again.",
        "Le fichier n'est plus conservé ; joignez-le de nouveau.",
    ),
    "prompts_title": ("Ask your documents", "Interrogez vos documents"),
    "prompt_1_title": ("What is new", "Quoi de neuf"),
    "prompt_1": (
        "What do the newest documents say, in a few sentences?",
        "Que disent les documents les plus récents, en quelques phrases ?",
    ),
    "prompt_2_title": ("Find a rule", "Trouver une règle"),
    "prompt_2": ("What is our policy on travel expenses?", "Quelles sont nos règles sur les frais de déplacement ?"),
    "prompt_3_title": ("Explain an incident", "Expliquer un incident"),
    "prompt_3": (
        "What caused the latest incident, and what was done about it?",
        "Quelle était la cause du dernier incident, et qu'a-t-on fait ?",
    ),
    # -- under an answer in Slack ------------------------------------------------------------------------------------
    "sources": ("Sources", "Sources"),
    "untitled": ("Untitled", "Sans titre"),
    "reference": ("ref {reference}", "réf. {reference}"),
    "show_passages": ("Show passages", "Voir les passages"),
    "show_more_passages": (
        "Show passages and {count} more source|Show passages and {count} more sources",
        "Voir les passages et {count} autre source|Voir les passages et {count} autres sources",
    ),
    "good_answer": ("This answer helped", "Cette réponse est utile"),
    "bad_answer": ("Something is wrong with this answer", "Cette réponse pose problème"),
    "mute_thread": ("Mute this thread", "Ne plus suivre ce fil"),
    "unmute": ("Follow this thread again", "Suivre ce fil à nouveau"),
    "share": ("Share in the channel", "Partager dans le canal"),
    "try_again": ("Try again", "Réessayer"),
    "ask_everybody": ("Ask everybody here", "Demander à tout le monde ici"),
    "ask_whom": ("Ask {name}", "Demander à {name}"),
    "ask_adder": ("Ask {name}, who added {title}", "Demander à {name}, qui a ajouté {title}"),
    "add_file": ("Add {title} to the documents", "Ajouter {title} aux documents"),
    "add_files": ("Add the {count} files to the documents", "Ajouter les {count} fichiers aux documents"),
    "answer_privately": ("Answer me privately", "Me répondre en privé"),
    "all_searched": (
        "I searched the one document that you can read here.|I searched the {count} documents that you can read here.",
        "J'ai cherché dans le seul document que vous pouvez lire ici.|J'ai cherché dans les {count} documents que vous"
        " pouvez lire ici.",
    ),
    "closest": ("Closest: {titles}.", "Les plus proches : {titles}."),
    "outsiders_here": (
        "Someone from outside the company may read this, so I used only documents for this channel or for guests"
        " ({count}).",
        "Une personne extérieure à l'entreprise peut lire ceci : je n'ai utilisé que les documents destinés à ce canal"
        " ou aux invités ({count}).",
    ),
    "readers_unknown": (
        "I could not check who can read this, so I used only documents for this channel or for guests ({count}).",
        "Je n'ai pas pu vérifier qui peut lire ceci : je n'ai utilisé que les documents destinés à ce canal ou aux"
        " invités ({count}).",
    ),
    # -- threads -----------------------------------------------------------------------------------------------------
    "cannot_check": (
        "I cannot check right now who may read what. Ask again in a minute.",
        "Je ne peux pas vérifier en ce moment qui peut lire quoi. Réessayez dans une minute.",
    ),
    "files_attached": ("(attached: {names})", "(en pièce jointe : {names})"),
    # -- while an answer is made -------------------------------------------------------------------------------------
    "at_work": ("Looking into it …", "Je regarde …"),
    "writing": ("Writing …", "J'écris …"),
    "searching_for": ("Searching for “{query}” …", "Je cherche « {query} » …"),
    "searched_for": ("Searched “{query}”", "Recherche : « {query} »"),
    "reading_passages": ("Reading {passages} …", "Je lis {passages} …"),
    "found_in": ("{passages} in {documents}", "{passages} dans {documents}"),
    "new_passages": (
        "{count} new passage|{count} new passages",
        "{count} nouveau passage|{count} nouveaux passages",
    ),
    "nothing_new": ("nothing new", "rien de nouveau"),
    "found_nothing": ("nothing found", "rien trouvé"),
    # -- messages in Slack -------------------------------------------------------------------------------------------
    "how_to_ask": (
        "Mention me in a channel, write to me here, or use {command}: its answer is seen by you alone. In a thread that"
        " began with a question to me, just go on asking.",
        "Mentionnez-moi dans un canal, écrivez-moi ici, ou utilisez {command} : sa réponse n'est visible que de vous."
        " Dans un fil qui a commencé par une question pour moi, continuez simplement.",
    ),
    "stopped": ("Stopped here.", "Arrêté ici."),
    "answer_replaced": (
        "The question was edited: a newer answer takes the place of this one.",
        "La question a été modifiée : une réponse plus récente remplace celle-ci.",
    ),
    "see_new_answer": ("See the new answer", "Voir la nouvelle réponse"),
    "asks": ("asks:", "demande :"),
    "asked_adder": (
        "asks you, because you added “{title}”, which comes closest. I found nothing on it in the documents.",
        "vous le demande, car vous avez ajouté « {title} », qui s'en approche le plus. Je n'ai rien trouvé à ce sujet"
        " dans les documents.",
    ),
    "asked_person": (
        "asks you. I found nothing on it in the documents.",
        "vous le demande. Je n'ai rien trouvé à ce sujet dans les documents.",
    ),
    "asked_channel": (
        "asks the channel. I found nothing on it in the documents. Who knows more?",
        "le demande au canal. Je n'ai rien trouvé à ce sujet dans les documents. Qui en sait plus ?",
    ),
    "was_asked": ("Asked, in this thread.", "C'est demandé, dans ce fil."),
    "thanks": ("Thank you, noted.", "Merci, c'est noté."),
    "muted": (
        "I answer in this thread only when I am mentioned.",
        "Je ne réponds plus dans ce fil que si l'on me mentionne.",
    ),
    "unmuted": ("I follow this thread again.", "Je suis ce fil à nouveau."),
    # -- forms in Slack ----------------------------------------------------------------------------------------------
    "passages_title": ("Passages", "Passages"),
    "passages_loading": ("Fetching the passages …", "Je cherche les passages …"),
    "close": ("Close", "Fermer"),
    "not_shown": (
        "{count} source is not shown: it was removed or replaced, or you may not read it.|{count} sources are not"
        " shown: they were removed or replaced, or you may not read them.",
        "{count} source n'est pas affichée : elle a été retirée ou remplacée, ou vous ne pouvez pas la lire.|{count}"
        " sources ne sont pas affichées : elles ont été retirées ou remplacées, ou vous ne pouvez pas les lire.",
    ),
    "no_room": (
        "{count} more source does not fit here.|{count} more sources do not fit here.",
        "{count} autre source ne tient pas ici.|{count} autres sources ne tiennent pas ici.",
    ),
    "context_generated": (
        "Context, written by a program when it was indexed: {context}",
        "Contexte, écrit par un programme à l'indexation : {context}",
    ),
    "context_structural": (
        "Context, from title and headings: {context}",
        "Contexte, d'après le titre et les intertitres : {context}",
    ),
    "feedback_title": ("Thank you", "Merci"),
    "what_was_wrong": ("What was wrong?", "Qu'est-ce qui n'allait pas ?"),
    "what_was_wrong_hint": (
        "Kept with the question and the answer, for those who look after the documents.",
        "Conservé avec la question et la réponse, pour ceux qui s'occupent des documents.",
    ),
    "send": ("Send", "Envoyer"),
}
