import pytest

from maxagent.cli.rendering.diffs.changed_words import find_changed_words


@pytest.mark.parametrize(
    ("old", "new", "removed", "added"),
    [
        ("return a - b", "return a + b", ["-"], ["+"]),
        ("x = total(prices)", "x = total(prices, tax)", [], [", tax"]),
        ("价格 = 一二三四 a b", "价格 = 一二三四 a c", ["b"], ["c"]),
        ("same", "same", [], []),
        ("nothing alike", "xyz = 12345", [], []),
        ("x" * 501 + " a", "x" * 501 + " b", [], []),
    ],
)
def test_only_what_differs_is_lit(old: str, new: str, removed: list[str], added: list[str]) -> None:
    old_spans, new_spans = find_changed_words(old, new)
    assert [old[begin:end] for begin, end in old_spans] == removed
    assert [new[begin:end] for begin, end in new_spans] == added
