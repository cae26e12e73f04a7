from dataclasses import replace
from pathlib import Path

import pytest

from maxagent.config.settings.schema import Settings
from maxagent.models.errors import ContextOverflowError
from maxagent.models.http.learnt_limits import LearntLimits
from maxagent.models.resolver import resolve

DECLARED = 20_000
MODEL = replace(
    resolve(Settings(), {"OPENAI_API_KEY": "k"}, "openai/small"), context_length=DECLARED
)
STATED = "maximum context length is 8000 tokens. However, your messages resulted in 3949"


@pytest.mark.parametrize(
    ("message", "tokens", "least", "window"),
    [
        (STATED, 3_949, 6_600, 8_000),
        (STATED, 9_500, 9_000, 0),  # what each request needs would not fit
        ("too long", 15_000, 0, 15_000),
        ("too long", 9_000, 0, 0),  # less than half of what is declared
        ("too long", 25_000, 0, 0),  # no less than is known already
        ("counted 20,500 tokens, and 20,000 fit", 5_200, 0, 0),
    ],
)
async def test_a_refusal_teaches_only_what_helps(
    message: str, tokens: int, least: int, window: int
) -> None:
    limits = LearntLimits()
    await limits.learn_refusal(MODEL, tokens, ContextOverflowError(message), least)
    assert limits.find_limit(MODEL) == window


async def test_a_window_is_remembered_for_one_endpoint(tmp_path: Path) -> None:
    file = tmp_path / "model-limits"
    error = ContextOverflowError("too long")
    await LearntLimits(file).learn_refusal(MODEL, 15_000, error)
    again = LearntLimits(file)
    assert again.find_limit(MODEL) == 15_000
    assert again.find_limit(replace(MODEL, base_url="http://localhost:1/v1")) == 0
    await again.learn_refusal(MODEL, 18_000, error)
    assert again.find_limit(MODEL) == 15_000
    await again.learn_refusal(MODEL, 14_000, error)
    assert LearntLimits(file).find_limit(MODEL) == 14_000


async def test_another_declared_window_counts_again(tmp_path: Path) -> None:
    file = tmp_path / "model-limits"
    await LearntLimits(file).learn_refusal(MODEL, 15_000, ContextOverflowError(STATED))
    corrected = replace(MODEL, context_length=12_000)
    limits = LearntLimits(file)
    assert limits.find_limit(corrected) == 0
    await limits.learn_refusal(corrected, 11_000, ContextOverflowError("too long"))
    assert LearntLimits(file).find_limit(corrected) == 11_000
    assert LearntLimits(file).find_limit(MODEL) == 0


async def test_an_answer_beyond_the_window_raises_it(tmp_path: Path) -> None:
    file = tmp_path / "model-limits"
    limits = LearntLimits(file)
    await limits.learn_answer(MODEL, 9_000)
    assert not file.exists()
    await limits.learn_refusal(MODEL, 15_000, ContextOverflowError(STATED))
    await limits.learn_answer(MODEL, 7_000)
    assert limits.find_limit(MODEL) == 8_000
    await limits.learn_answer(MODEL, 9_000)
    assert LearntLimits(file).find_limit(MODEL) == 9_000


async def test_forgetting_leaves_other_models_as_they_are(tmp_path: Path) -> None:
    file = tmp_path / "model-limits"
    file.write_text("7000 20000 openai/other api.openai.com\nbroken\n")
    limits = LearntLimits(file)
    await limits.learn_refusal(MODEL, 15_000, ContextOverflowError(STATED))
    assert await limits.forget(MODEL) == 8_000
    assert await limits.forget(MODEL) == 0
    assert LearntLimits(file).find_limit(MODEL) == 0
    assert file.read_text() == "7000 20000 openai/other api.openai.com\n"


async def test_without_its_folder_nothing_is_remembered(tmp_path: Path) -> None:
    file = tmp_path / "missing" / "model-limits"
    await LearntLimits(file).learn_refusal(MODEL, 15_000, ContextOverflowError(STATED))
    assert LearntLimits(file).find_limit(MODEL) == 0
