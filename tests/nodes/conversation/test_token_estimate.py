"""The estimate beside what real tokenizers counted; `make token-counts` records the counts."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage

from maxagent.nodes.conversation.token_estimate import count_used, estimate_text

FOLDER = Path(__file__).parents[2] / "token_counts"
COUNTS: dict[str, dict[str, int]] = json.loads((FOLDER / "counts.json").read_text())["tokens"]
KINDS = ("english", "chinese", "code", "result")
TOKENIZERS = ("o200k", "deepseek")
WITHIN = 0.15


def list_texts(kind: str) -> list[str]:
    return [name for name in COUNTS if name.startswith(kind)]


def read_text(name: str) -> str:
    return (FOLDER / "texts" / f"{name}.txt").read_text(encoding="utf-8")


def count(names: Sequence[str], tokenizer: str) -> int:
    return sum(COUNTS[name][tokenizer] for name in names)


def estimate_after(first: Sequence[str], later: Sequence[str], tokenizer: str) -> int:
    """The estimate of the later texts in a view whose answer reported the first ones."""
    reported = count(first, tokenizer)
    usage = {"input_tokens": reported, "output_tokens": 0, "total_tokens": reported}
    answer = AIMessage("", usage_metadata=usage, additional_kwargs={"step": 1})  # pyright: ignore
    view: list[AnyMessage] = [*(HumanMessage(read_text(name)) for name in first), answer]
    before = count_used(view, None, 0).used
    view += [HumanMessage(read_text(name)) for name in later]
    return count_used(view, None, 0).used - before


@pytest.mark.parametrize("name", COUNTS)
def test_estimate_without_any_answer_is_near(name: str) -> None:
    real = sum(COUNTS[name].values()) / len(TOKENIZERS)
    assert estimate_text(read_text(name)) == pytest.approx(real, rel=WITHIN, abs=2)


@pytest.mark.parametrize("tokenizer", TOKENIZERS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("part", [0, 1])
def test_estimate_after_one_answer_is_near(kind: str, tokenizer: str, part: int) -> None:
    names = list_texts(kind)
    first, later = names[part::2], names[1 - part :: 2]
    near = pytest.approx(count(later, tokenizer), rel=WITHIN)
    assert estimate_after(first, later, tokenizer) == near


@pytest.mark.parametrize("tokenizer", TOKENIZERS)
@pytest.mark.parametrize("kind", KINDS)
def test_used_after_english_prompt_is_near(kind: str, tokenizer: str) -> None:
    prompt = ["english-security-page.md", "result-api.json"]
    later = [name for name in list_texts(kind) if name not in prompt]
    used = count(prompt, tokenizer) + estimate_after(prompt, later, tokenizer)
    assert used == pytest.approx(count([*prompt, *later], tokenizer), rel=WITHIN)
