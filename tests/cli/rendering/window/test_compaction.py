import pytest

from maxagent.cli.rendering.window.compaction import format_end, format_reset, format_start
from maxagent.sdk import events as ev


@pytest.mark.parametrize(
    ("reason", "text"),
    [
        ("limit", "Compacting the conversation: 17,000 tokens, the limit is 16,000 …"),
        ("overflow", "The request is too long for the model; compacting the conversation …"),
        ("user", "Compacting the conversation …"),
    ],
)
def test_start_says_why(reason: str, text: str) -> None:
    started = ev.CompactionStarted("chat", reason, 17_000, 16_000)  # type: ignore[arg-type]
    assert format_start(started) == text


@pytest.mark.parametrize(
    ("by", "after", "pruned", "summary", "lines"),
    [
        (
            *("openai/m", 4_200, 3, "one\n\ntw\x1bo"),
            ["Compacted: 17,000 → 4,200 tokens, openai/m. The thread keeps every message.",
             "Shortened older results and arguments: 3", "  one", "  tw\\x1bo"],
        ),
        (
            *("bridge", 4_200, 0, "\n".join("abcdefgh")),
            ["Compacted: 17,000 → 4,200 tokens, with a list of what was done. "
             "The thread keeps every message.", *(f"  {letter}" for letter in "abcdef"), "  …"],
        ),
        ("prune", 17_000, 0, "", ["There is nothing to leave out: 17,000 tokens."]),
    ],
)  # fmt: skip
def test_end_says_how_much_is_left(
    by: str, after: int, pruned: int, summary: str, lines: list[str]
) -> None:
    end = ev.CompactionFinished("chat", "limit", 17_000, after, pruned, by, summary)
    assert [*format_end(end)] == lines


def test_reset_after_compaction_is_not_reported_twice() -> None:
    assert format_reset(ev.CacheReset("compaction")) == ""
    assert "another model" in format_reset(ev.CacheReset("model"))
