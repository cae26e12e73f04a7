"""The estimate beside what real tokenizers counted; `make token-counts` records the counts."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from conversations import prune
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage

from maxagent.nodes.conversation.cut import Cut
from maxagent.nodes.conversation.token_estimate import count_used, estimate_text, estimate_tokens

FOLDER = Path(__file__).parents[3] / "evals/token_counts"
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


def build_answer(step: int, reported: int) -> AIMessage:
    usage = {"input_tokens": reported, "output_tokens": 10, "total_tokens": reported + 10}
    return AIMessage("ok", usage_metadata=usage, additional_kwargs={"step": step})  # pyright: ignore


def build_made_cut(step: int) -> Cut:
    return {**prune([]), "step": step, "scale": 1.5}


@pytest.mark.parametrize(
    ("cut", "used", "scale"),
    [(None, 510, 1.0), (build_made_cut(3), 510, 1.0), (build_made_cut(4), None, 1.5)],
)
def test_answer_older_than_the_cut_reports_nothing(
    cut: Cut | None, used: int | None, scale: float
) -> None:
    view: list[AnyMessage] = [HumanMessage("Hello " * 100), build_answer(4, 500)]
    fixed = 500 - estimate_tokens(view[:1])
    counted = count_used(view, cut, fixed)
    expected = round((fixed + estimate_tokens(view)) * 1.5) if used is None else used
    assert (counted.used, counted.scale, counted.is_reported) == (expected, scale, used is not None)


def test_without_a_report_everything_is_estimated() -> None:
    view: list[AnyMessage] = [HumanMessage("Hello " * 100)]
    assert count_used(view, None, 900).used == 900 + estimate_tokens(view)


def test_report_of_a_smaller_view_does_not_count() -> None:
    view: list[AnyMessage] = [HumanMessage("Hello " * 1_000), build_answer(1, 100)]
    counted = count_used(view, None, 0)
    assert (counted.used, counted.is_reported) == (estimate_tokens(view), False)


def test_what_precedes_a_smaller_view_counts_too() -> None:
    view: list[AnyMessage] = [HumanMessage("Hello " * 7_000), build_answer(1, 6_861)]
    fixed = 4_000
    assert 10_000 < estimate_tokens(view) < 13_000
    counted = count_used(view, None, fixed)  # the report is of a view that was cut
    assert (counted.used, counted.is_reported) == (fixed + estimate_tokens(view), False)


def test_absurd_reports_are_bounded() -> None:
    view: list[AnyMessage] = [HumanMessage("Hello " * 100), build_answer(1, 10**6)]
    assert count_used(view, None, 0).scale == 2.0


def test_images_and_calls_count() -> None:
    image = HumanMessage("See", additional_kwargs={"images": [{"name": "a.png"}]})
    call = {"id": "c", "name": "write_file", "args": {"content": "word " * 500}}
    assert estimate_tokens([image]) > 1_000
    assert estimate_tokens([AIMessage("", tool_calls=[call])]) > 500
