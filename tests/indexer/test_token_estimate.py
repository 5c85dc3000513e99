"""The estimate of tokens is never below what a real tokenizer counts, for texts that people write."""

from __future__ import annotations

import base64
import random
from pathlib import Path

import pytest

from indexer.local_embedding import LocalEmbedder
from indexer.token_estimate import estimated_tokens

_RANDOM = random.Random(1)  # noqa: S311 - no secrets here
TEXTS = {
    "English": "The incident was closed in May; the cause, found by the platform team, was a misconfigured router.",
    "French": "L'incident a été clos en mai ; la cause, trouvée par l'équipe plateforme, était un routeur mal réglé.",
    "German": "Donaudampfschifffahrtsgesellschaftskapitän, Rindfleischetikettierungsaufgabe: im Mai beendet.",
    "Polish": "Incydent został zamknięty w maju; przyczyną był źle skonfigurowany router. Zażółć gęślą jaźń.",
    "Russian": "Инцидент был закрыт в мае; причиной стала неправильная настройка маршрутизатора.",
    "Greek": "Το περιστατικό έκλεισε τον Μάιο· η αιτία ήταν ένας λανθασμένα ρυθμισμένος δρομολογητής.",
    "Arabic": "تم إغلاق الحادث في شهر مايو وكان السبب الرئيسي هو جهاز توجيه تم تكوينه بشكل خاطئ.",
    "Hindi": "घटना मई में बंद कर दी गई थी; मूल कारण गलत तरीके से कॉन्फ़िगर किया गया राउटर था।",
    "Thai": "เหตุการณ์ปิดลงในเดือนพฤษภาคม สาเหตุหลักคือเราเตอร์ที่กำหนดค่าไม่ถูกต้อง",
    "Japanese": "インシデントは五月に終了した。原因はルーターの設定ミスであった。",
    "Chinese": "该事件已于五月关闭;根本原因是平台团队发现的路由器配置错误。",
    "Korean": "사건은 5월에 종결되었으며 근본 원인은 잘못 구성된 라우터였습니다.",
    "code": Path(__file__).read_text("utf-8")[:1_000],
    "base64": base64.b64encode(_RANDOM.randbytes(600)).decode(),
    "hexadecimal": _RANDOM.randbytes(400).hex(),
    "numbers": "\n".join(f"{_RANDOM.random() * 10_000:.3f};{_RANDOM.randrange(10_000)}" for _ in range(40)),
    "emoji": "😀🎉👩‍👩‍👧‍👦🇫🇷✅❌➡️⚠️📈 ok ",
    "symbols": "∑∫√≈≠≤≥∞ → ⇒ α β γ ┌──┬──┐ │ a │ … ... {}[]()!?",
}


@pytest.fixture(scope="module")
def local() -> LocalEmbedder:
    return LocalEmbedder()


@pytest.mark.parametrize("name", TEXTS)
def test_the_estimate_is_at_or_above_a_real_count(local: LocalEmbedder, name: str) -> None:
    real = local.count(TEXTS[name]) - local.count("")
    assert real <= estimated_tokens(TEXTS[name]) - estimated_tokens("")


@pytest.mark.parametrize("name", ["English", "French"])
def test_prose_is_not_estimated_at_more_than_twice(local: LocalEmbedder, name: str) -> None:
    assert estimated_tokens(TEXTS[name]) <= 2 * local.count(TEXTS[name])


def test_the_estimate_grows_with_the_text() -> None:
    text = "".join(TEXTS.values())
    counts = [estimated_tokens(text[:end]) for end in range(0, len(text), 97)]
    assert counts == sorted(counts)
