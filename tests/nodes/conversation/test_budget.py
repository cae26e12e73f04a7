from dataclasses import replace

import pytest

from maxagent.config.settings.schema import ContextSection, Settings
from maxagent.models.resolver import resolve
from maxagent.nodes.conversation.budget import compute_budget, limit_answer
from maxagent.nodes.conversation.token_estimate import TokenCount

MODEL = resolve(Settings(), {"OPENAI_API_KEY": "k"}, "openai/small")
CONTEXT = ContextSection()


@pytest.mark.parametrize(
    ("window", "answer", "learnt", "limit"),
    [
        (20_000, 2_000, 0, 17_000),  # the share
        (20_000, 8_000, 0, 15_200),  # an answer counts as a fifth at most
        (1_000_000, 32_000, 0, 200_000),  # the tokens
        (128_000, 4_000, 50_000, 42_500),  # what was learnt is the window
        (20_000, 4_096, 8_192, 6_226),
    ],
)
def test_limit_is_the_smallest_of_all(window: int, answer: int, learnt: int, limit: int) -> None:
    model = replace(MODEL, context_length=window, max_tokens=answer)
    assert compute_budget(model, CONTEXT, 0, learnt).limit == limit


def test_room_is_what_the_system_prompt_leaves() -> None:
    model = replace(MODEL, context_length=20_000, max_tokens=2_000)
    budget = compute_budget(model, CONTEXT, 7_000)
    assert budget.room.tail == 2_000
    assert not budget.is_crowded
    assert compute_budget(model, CONTEXT, 8_100).is_crowded


def test_request_of_system_prompt_alone_has_nothing_to_cut() -> None:
    model = replace(MODEL, context_length=20_000, max_tokens=2_000)
    budget = compute_budget(model, CONTEXT, 16_500)
    assert budget.fits(TokenCount(17_500, 1.0, True))
    assert not budget.fits(TokenCount(19_500, 1.0, True))


@pytest.mark.parametrize(
    ("used", "answer"), [(1_000, 8_000), (10_000, 8_000), (12_200, 7_000), (19_000, 4_000)]
)
def test_answer_takes_what_the_request_leaves(used: int, answer: int) -> None:
    model = replace(MODEL, context_length=20_000, max_tokens=8_000)
    assert limit_answer(compute_budget(model, CONTEXT, 0), used, 8_000) == answer
