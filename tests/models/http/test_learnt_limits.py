from dataclasses import replace
from pathlib import Path

import pytest

from maxagent.config.settings.schema import Settings
from maxagent.models.errors import ContextOverflowError
from maxagent.models.http.learnt_limits import LearntLimits, find_stated_limit
from maxagent.models.resolver import resolve

MODEL = resolve(Settings(), {"OPENAI_API_KEY": "k"}, "openai/small")


@pytest.mark.parametrize(
    ("message", "tokens", "limit"),
    [
        ("maximum context length is 8192 tokens, you requested 9,000", 8_500, 8_192),
        ("8,192 tokens fit", 7_000, 8_192),
        ("prompt is too long", 7_000, 7_000),
        ("at 127.0.0.1 port 34567: too long", 5_000, 5_000),
        ("counted 20,500 tokens, and 20,000 fit", 5_200, 20_000),
    ],
)
def test_the_stated_limit_is_near_the_request(message: str, tokens: int, limit: int) -> None:
    assert find_stated_limit(message, tokens) == limit


async def test_a_limit_is_remembered_for_one_endpoint(tmp_path: Path) -> None:
    file = tmp_path / "model-limits"
    error = ContextOverflowError("too long")
    await LearntLimits(file).learn_refusal(MODEL, 10_000, error)
    again = LearntLimits(file)
    assert again.find_limit(MODEL) == 9_000
    assert again.find_limit(replace(MODEL, base_url="http://localhost:1/v1")) == 0
    await again.learn_refusal(MODEL, 20_000, error)
    assert again.find_limit(MODEL) == 9_000


async def test_refusal_of_a_small_request_teaches_nothing(tmp_path: Path) -> None:
    limits = LearntLimits(tmp_path / "missing" / "model-limits")
    await limits.learn_refusal(MODEL, 500, ContextOverflowError("400"))
    assert limits.find_limit(MODEL) == 0
