"""What the app says in Slack of caps, and to administrators of what is broken: English first, then French."""

from __future__ import annotations

from typing import Final

TEXTS: Final[dict[str, tuple[str, str]]] = {
    # -- caps --------------------------------------------------------------------------------------------------------
    "day_cap": (
        "Today's budget for Claude is used up, so this is without it; ask again in {count} hour for an answer."
        "|Today's budget for Claude is used up, so this is without it; ask again in {count} hours for an answer.",
        "Le budget de Claude pour aujourd'hui est épuisé, je réponds donc sans lui. Reposez la question dans {count} "
        "heure pour avoir sa réponse."
        "|Le budget de Claude pour aujourd'hui est épuisé, je réponds donc sans lui. Reposez la question dans {count} "
        "heures pour avoir sa réponse.",
    ),
    "hour_cap": (
        "You have asked as many questions as one person may in an hour, so this is without Claude; ask again in "
        "{count} minute for an answer."
        "|You have asked as many questions as one person may in an hour, so this is without Claude; ask again in "
        "{count} minutes for an answer.",
        "Vous avez posé toutes les questions qu'une personne peut poser en une heure, je réponds donc sans Claude. "
        "Reposez la question dans {count} minute pour avoir sa réponse."
        "|Vous avez posé toutes les questions qu'une personne peut poser en une heure, je réponds donc sans Claude. "
        "Reposez la question dans {count} minutes pour avoir sa réponse.",
    ),
    # -- alerts: what is wrong, what that means and what to do; what is said when it is over ---------------------------
    "alert_key": ("Claude refuses the key.", "Claude refuse la clé."),
    "alert_key_advice": (
        "Questions get passages in place of answers, and new documents get no contexts. Check ANTHROPIC_API_KEY; the "
        "bot reads a new one when it starts.",
        "Les questions reçoivent des passages au lieu de réponses, et les nouveaux documents n'ont pas de contextes. "
        "Vérifiez ANTHROPIC_API_KEY ; le bot lit une nouvelle clé à son démarrage.",
    ),
    "alert_key_over": ("Claude takes the key again.", "Claude accepte de nouveau la clé."),
    "alert_credit": (
        "The account of ANTHROPIC_API_KEY has no credit left.",
        "Le compte d'ANTHROPIC_API_KEY n'a plus de crédit.",
    ),
    "alert_credit_advice": (
        "Questions get passages in place of answers, and new documents get no contexts. Add credit (console.anthropic"
        ".com).",
        "Les questions reçoivent des passages au lieu de réponses, et les nouveaux documents n'ont pas de contextes. "
        "Ajoutez du crédit (console.anthropic.com).",
    ),
    "alert_credit_over": (
        "Claude answers again: there is credit.",
        "Claude répond de nouveau : il y a du crédit.",
    ),
    "alert_contexts_over": (
        "Documents without contexts get theirs with 'python -m indexer retry --workspace {workspace}'.",
        "Les documents sans contextes reçoivent les leurs avec « python -m indexer retry --workspace {workspace} ».",
    ),
    "alert_socket": (
        "A connection of the bot to Slack has been down for more than a minute.",
        "Une connexion du bot à Slack est coupée depuis plus d'une minute.",
    ),
    "alert_socket_advice": (
        "Where it has no other, it hears nothing of what people ask. It goes on trying; check the network, "
        "SLACK_APP_TOKEN and status.slack.com.",
        "S'il n'en a pas d'autre, il n'entend rien de ce qu'on lui demande. Il continue d'essayer ; vérifiez le "
        "réseau, SLACK_APP_TOKEN et status.slack.com.",
    ),
    "alert_socket_over": ("The connection to Slack is back.", "La connexion à Slack est rétablie."),
    "alert_disk": ("A disk fills up.", "Un disque se remplit."),
    "alert_disk_advice": ("On {host}: {found} {advice}", "Sur {host} : {found} {advice}"),
    "alert_disk_over": ("The disk has room again.", "Le disque a de nouveau de la place."),
    "alert_indexing": (
        "Indexing fails: {count} document failed within an hour.|Indexing fails: {count} documents failed within an "
        "hour.",
        "L'indexation échoue : {count} document a échoué en une heure.|L'indexation échoue : {count} documents ont "
        "échoué en une heure.",
    ),
    "alert_indexing_advice": (
        "'python -m indexer status --workspace {workspace}' says which and why, 'retry' in its place tries again.",
        "« python -m indexer status --workspace {workspace} » dit lesquels et pourquoi, « retry » à sa place réessaie.",
    ),
    "alert_indexing_over": ("Indexing works again.", "L'indexation fonctionne de nouveau."),
    "alert_cap": (
        "The day's cap of ${cap} for Claude is reached.",
        "Le plafond du jour de {cap} $ pour Claude est atteint.",
    ),
    "alert_cap_advice": (
        "Until midnight UTC questions get passages in place of answers, and new documents get no contexts. "
        "DAY_CAP_USD sets the cap.",
        "Jusqu'à minuit UTC, les questions reçoivent des passages au lieu de réponses, et les nouveaux documents "
        "n'ont pas de contextes. DAY_CAP_USD fixe le plafond.",
    ),
    "alert_cap_over": (
        "Claude may be asked again: the day's cap is not reached any more.",
        "Claude peut de nouveau être interrogé : le plafond du jour n'est plus atteint.",
    ),
    "alert_since": ("It has been so since {since}.", "Il en est ainsi depuis {since}."),
    "alert_was": (
        "That was so from {since} to {until}; it is over.",
        "C'était le cas de {since} à {until} ; c'est terminé.",
    ),
}
