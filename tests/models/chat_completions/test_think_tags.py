"""Thinking in tags at the beginning of an answer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage

from maxagent.models.chat_completions.think_tags import (
    ThinkingSplitter,
    split_lone_thinking,
    take_lone_thinking,
)

ANALYSIS = "<|channel|>analysis<|message|>"
FINAL = "<|start|>assistant<|channel|>final<|message|>"


def split(*portions: str) -> tuple[str, str]:
    splitter = ThinkingSplitter()
    parts = [splitter.feed(portion) for portion in portions] + [splitter.close()]
    return "".join(part[0] for part in parts), "".join(part[1] for part in parts)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("<think>why</think>because", ("why", "because")),
        ("\n <think>why</think>\n\nbecause", ("why", "because")),
        ("<think></think>because", ("", "because")),
        ("<think>1 < 2 </thin k></think>x", ("1 < 2 </thin k>", "x")),
        ("<think>never closed", ("never closed", "")),
        ("<think>a</think>b<think>c</think>", ("a", "b<think>c</think>")),
        ("say <think>why</think>", ("", "say <think>why</think>")),
        ("<thinker>", ("", "<thinker>")),
        ("<thi", ("", "<thi")),
        ("  indented", ("", "  indented")),
        (" ", ("", " ")),
        ("", ("", "")),
        ("<thinking>why</thinking>\nbecause", ("why", "because")),
        ("[THINK]why[/THINK]because", ("why", "because")),
        ("[THINK]1 [2] </think>[/THINK]x", ("1 [2] </think>", "x")),
        ("<seed:think>why</seed:think>x", ("why", "x")),
        ("[THI", ("", "[THI")),
        (f"{ANALYSIS}why<|end|>{FINAL}because", ("why", "because")),
        (f"<|start|>assistant{ANALYSIS}why<|end|>\nbecause", ("why", "because")),
        (f"{FINAL}because", ("", "because")),
        ("<|channel|>final<|message|>because", ("", "because")),
        ("<|chan", ("", "<|chan")),
        ("<thought>\nwhy</thought>\nbecause", ("\nwhy", "because")),
        ("<reasoning>why</reasoning>because", ("why", "because")),
        ("◁think▷why◁/think▷because", ("why", "because")),
        ("<|START_THINKING|>why<|END_THINKING|>because", ("why", "because")),
        ("<|channel>thought\nwhy<channel|>because", ("\nwhy", "because")),
        ("<think>a</think>\n<think>b</think>because", ("ab", "because")),
        ("<think>a</think><thi", ("a", "<thi")),
    ],
)
def test_only_a_tag_before_the_first_word_counts(text: str, parts: tuple[str, str]) -> None:
    assert split(text) == parts


PIECES = [
    "<think>",
    "</think>",
    "[THINK]",
    "[/THINK]",
    ANALYSIS,
    "<|end|>",
    FINAL,
    "<",
    "/",
    "think>",
    "word",
    " ",
    "\n",
    "中",
]


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join), st.data())
def test_it_does_not_matter_where_the_portions_end(text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    portions = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert split(*portions) == split(text)


@pytest.mark.parametrize("size", [1, 7, 5_000])
def test_blanks_without_end_are_the_answer(size: int) -> None:
    text = "\n" * 2_000 + "<think>a</think>b"
    assert split(*[text[at : at + size] for at in range(0, len(text), size)]) == ("", text)


def test_text_is_passed_on_as_early_as_possible() -> None:
    splitter = ThinkingSplitter()
    assert splitter.feed("<think>so") == ("so", "")
    assert splitter.feed("me</th") == ("me", "")
    assert splitter.feed("ink>x") == ("", "x")
    assert splitter.feed("<think>y") == ("", "<think>y")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("why\n</think>\n\nbecause", ("why", "because")),
        ("one\ntwo</think>\nbecause", ("one\ntwo", "because")),
        ("why\n</think>because", ("why", "because")),
        ("why</thinking>\nbecause", ("why", "because")),
        ("why\n[/THINK]\nbecause", ("why", "because")),
        ("</think>\nbecause", ("", "because")),
        ("The tag `</think>`\nends it.", ("", "The tag `</think>`\nends it.")),
        ("```\n</think>\n```", ("", "```\n</think>\n```")),
        ("It writes </think> then.", ("", "It writes </think> then.")),
        ("see <think>a\n</think>\nb", ("", "see <think>a\n</think>\nb")),
        ("because<|return|>", ("", "because")),
        ("because <|end|>\n", ("", "because ")),
    ],
)
def test_text_before_a_lone_closing_tag_thinks(text: str, parts: tuple[str, str]) -> None:
    assert split_lone_thinking(text) == parts


def test_lone_thinking_is_taken_out_of_the_answer() -> None:
    answer = take_lone_thinking(AIMessage("why\n</think>\nbecause"))
    assert (answer.content, answer.additional_kwargs) == ("because", {"reasoning_content": "why"})
    only = AIMessage("why\n</think>\n")
    assert take_lone_thinking(only) is only
