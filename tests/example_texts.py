"""The texts of the generated examples. Written for this project; see ``tests.make_examples``.

A line that begins with ``#`` is a heading (in the report: a new page), ``##`` a smaller one; a blank line ends a
paragraph, and the lines of a paragraph are joined when the file is made.
"""

from __future__ import annotations

from collections.abc import Sequence

REPORT = """
# Report on incident INC-2023-04-011

## Summary

On 18 April 2023 nobody could log in to the shared research platform from 06:00 until 15:40, at any of the three
sites. All employees and 61 partner accounts were affected. The root cause was an expired certificate on the
login gateway. Nothing was lost, and there is no sign of an attack.

## About this report

This report tells the events in the order in which they were understood. It was written by the security team,
led by Inès Valade, and published on 22 May 2023, ten days after the incident was closed. It names no
individuals below the heads of the domains.

# Timeline

## Monday 17 April

19:20  A planned change to the identity database goes live. It has nothing to do with what follows.

## Tuesday 18 April

06:00  The certificate of the login gateway expires. Logging in fails from this minute on.

07:05  The service desk receives the first call.

07:40  The change of the evening before is suspected and undone. Logging in still fails.

10:15  The change is undone a second time, with a restart of the database. Logging in still fails.

11:30  Support from outside is called in.

13:20  A colleague in Gothenburg looks at the handshake and sees the date.

15:32  A temporary certificate, valid for 30 days, is put in place.

15:40  Access is confirmed from Lyon, Dublin and Gothenburg.

## Afterwards

11 May  Finance announces that it will book EUR 41,000.

12 May  Release 3.4: the certificate is renewed automatically. After a test the incident is closed.

# Why it happened and why it took so long

## Root cause

The certificate had been renewed by hand every April. The reminder went to a personal mailbox, and its owner had
left the institute in January. Nobody else was told. The monitoring tool watched the expiry of certificates for
public websites only.

## The wrong lead

The change made the evening before was so convincing a suspect that it was undone twice. Six hours and fifteen
minutes passed between the first call and the first look at the handshake. The error that users saw, E-4417
session could not be established, is shown for eleven different reasons.

## Cost

Working time EUR 26,500, support from outside EUR 9,300, credit to two partner projects EUR 5,200: together EUR
41,000.

# What we changed

## Done

1. Certificates of all services are renewed automatically (release 3.4, 12 May).

2. Expiry is watched for internal names too; below seven days somebody is woken.

3. Reminders go to rosters, never to persons.

4. The handbook has a new rule: when the obvious cause has been undone and nothing changes, somebody who has not
worked on the problem starts again from the symptom.

## Still to do, until 30 September 2023

5. Error E-4417 is split into messages that name the reason.

6. An exercise on paper replays the day with other people (planned for June).

7. Decide whether an emergency way of logging in is wanted that does not pass through the gateway.
"""

POLICY = """
# 1. Objet

La présente politique s’applique à tous les salariés de l’institut et, par analogie, aux invités dont les frais
sont pris en charge. Elle est en vigueur depuis le 1er janvier 2025 et remplace la politique de 2024.

# 2. Transport

Le train est la règle. L’avion n’est admis que si le trajet en train dure plus de six heures de porte à porte.

La première classe est admise en train lorsque le trajet dure plus de quatre heures.

L’usage de la voiture personnelle est indemnisé à hauteur de 0,45 € par kilomètre, au lieu de 0,38 € auparavant,
en l’absence de liaison ferroviaire raisonnable.

# 3. Hébergement

Une nuit d’hôtel est remboursée jusqu’à 130 €, petit déjeuner compris. À Paris, Dublin et Stockholm, le plafond
est de 160 €.

Un dépassement requiert l’accord préalable du responsable de domaine. Il n’est jamais accordé après coup.

# 4. Repas

Le déjeuner est remboursé jusqu’à 25 € et le dîner jusqu’à 35 €, sur justificatif. L’alcool n’est pas remboursé.

# 5. Justificatifs et délais

Les demandes de remboursement sont déposées dans les 30 jours qui suivent la fin du déplacement. Ce délai était
de 60 jours jusqu’en 2024.

Un justificatif numérisé suffit ; l’original papier est conservé un an par le voyageur.

Passé le délai, le remboursement n’est possible qu’avec l’accord de la directrice.
"""

LIMITS = (
    ("Poste", "Plafond 2024", "Plafond 2025"),
    ("Hôtel (hors Paris, Dublin, Stockholm)", "110 €", "130 €"),
    ("Hôtel à Paris, Dublin, Stockholm", "140 €", "160 €"),
    ("Déjeuner", "20 €", "25 €"),
    ("Dîner", "30 €", "35 €"),
    ("Kilomètre en voiture personnelle", "0,38 €", "0,45 €"),
)

Row = Sequence[str | int | float | None]
SHEETS: dict[str, Sequence[Row]] = {
    "Overview": (
        ("Budget 2024", "Actual 2023 (EUR)", "Plan 2024 (EUR)"),
        ("Income", 18_600_000, 19_400_000),
        ("Costs", 17_900_000, 18_700_000),
        ("Result", 700_000, 700_000),
    ),
    "Domains": (
        ("Domain", "Actual 2023 (EUR)", "Plan 2024 (EUR)", "Remark"),
        ("Software Engineering", 2_600_000, 2_700_000, "Phoenix until September, then the platform team"),
        ("Financial Analysis", 900_000, 900_000, None),
        ("Cybersecurity Analysis", 1_400_000, 1_500_000, "of which 60,000 for credentials in instruments"),
        ("Biomedical Research", 3_800_000, 4_100_000, "Analysis of the wound-healing trial"),
        ("Climate and Hydrology", 2_700_000, 2_900_000, "140,000 from the river authority"),
        ("Materials Science", 2_200_000, 2_200_000, "Rest of the furnace: 90,000"),
        ("Social Research", 1_300_000, 1_400_000, "85,000 for the mixed mode, covered by a grant"),
        ("Operations Research", 1_200_000, 1_200_000, None),
        ("Linguistics", 800_000, 800_000, None),
        ("Legal and Ethics", 1_000_000, 1_000_000, None),
        ("Total", 17_900_000, 18_700_000, None),
    ),
    "Incidents": (
        ("Incident", "Booked in", "Amount (EUR)", "What for"),
        ("INC-2023-02-003", "Q1 2023", 3_500, "Filtering by the network provider"),
        ("INC-2023-04-011", "Q2 2023", 41_000, "Working time 26,500; outside support 9,300; partner credit 5,200"),
        ("INC-2023-09-027", "Q3 2023", 6_200, "Forensic examination of two mailboxes"),
        ("INC-2023-11-004", "Q4 2023", 1_800, "Replacement of a laptop"),
        ("Total", "2023", 52_500, None),
        ("Reserve", "2024", 60_000, "Not allotted to a domain"),
    ),
    "Platform": (
        ("Item", "Plan 2024 (EUR)", "Remark"),
        ("Phoenix, January to September", 870_000, None),
        ("Old permission model kept alive", 35_000, "Because release 4.0 comes in March 2024"),
        ("Certificate service", 8_400, "Yearly licence, since May 2023"),
        ("Platform team, October to December", 112_500, "If the board agrees to the levy of 2.5 percent"),
    ),
}

SLIDES = (
    ("Phoenix: where we stand", ("Steering committee, 8 June 2023", "Tomasz Rybak, Software Engineering")),
    (
        "The second quarter so far",
        (
            "Availability until today: 99.33 %, target 99.95 %",
            "One day explains most of it: 18 April",
            "47 deployments in May, one rolled back",
        ),
    ),
    (
        "Since release 3.4",
        (
            "97 certificates known, 58 before",
            "93 are renewed automatically, four belong to instruments",
            "The health check of the login now logs in as a user does",
        ),
    ),
    (
        "Decisions wanted",
        (
            "Move service owners from 9 missing to 0 by September",
            "Switch off the old report generator on 30 June",
            "Ask Operations Research for an on-call roster: done since May",
        ),
    ),
)
NOTES = "Say plainly that the second quarter cannot reach the target any more, and that the third will."


LABORORDNUNG = """Laborordnung, Standort Lyon (Kurzfassung für Gäste)

Stand: 1. September 2023. Fragen beantwortet Pietro Galli, Werkstoffwissenschaft.

1. Zutritt. Gäste betreten das Labor nur in Begleitung. Die Begleitung trägt sich und den Gast in die Liste am
Eingang ein.

2. Schutzkleidung. Schutzbrille und geschlossene Schuhe sind Pflicht, am Ofen zusätzlich Hitzeschutzhandschuhe.

3. Sinterofen. Der neue Ofen (Raum B 014, in Betrieb seit dem 18. August 2023) darf nur von eingewiesenen
Personen geöffnet werden, und erst unter 60 °C.

4. Proben. Proben, die während des Ofenausfalls in Göteborg gebrannt wurden, tragen ein gelbes Etikett und
dürfen nicht mit den übrigen gemischt werden.

5. Notfall. Grüner Knopf: Türen öffnen. Roter Knopf: Strom aus. Danach die Leitwarte anrufen, Telefon 4400.
"""

VISIT = """見学のご案内（コルヴァンヌ研究所 リヨン）

作成日：2024年3月5日

見学は毎月第二火曜日の午後二時に始まります。所要時間は約九十分です。
お申し込みは、見学日の二週間前までにメールでお願いします。一回の定員は十二名です。
材料科学の実験室では、保護めがねを必ず着用してください。写真撮影は、焼結炉のある部屋ではご遠慮ください。
ローヌ川の流量予測については、気候・水文分野のリヴ・オーセンがご説明します。
"""
