"""Depths of a request become depths of the file, as shared lines show them."""

import pytest

from maxagent.tools.editing.rewriting.indentation import IndentPair, infer_depths, infer_unit
from maxagent.tools.result import ToolError

CODE = ["def f():", "    if x:", "        return 1", "    return 2"]
TABBED = ["def f():", "\tif x:", "\t\treturn 1"]
UNCLEAR = ["sub f {", "    a();", "}", "struct(", "   b,", ");"]
NARROW = ["f() {", "  if (x) {", "    y();", "  }", "}"]


@pytest.mark.parametrize(
    ("lines", "unit"),
    [(CODE, "    "), (TABBED, "\t"), (NARROW, "  "), (["a", "b"], "    "), (UNCLEAR, "    ")],
)
def test_the_unit_of_a_file(lines: list[str], unit: str) -> None:
    assert infer_unit(lines) == unit


@pytest.mark.parametrize(
    ("pairs", "asked", "real"),
    [
        ([("", "    ")], "", "    "),
        ([("", "    ")], "    ", "        "),
        ([("    ", "\t"), ("        ", "\t\t")], "            ", "\t\t\t"),
        ([("\t", "    ")], "\t\t", "        "),
        ([("  ", "    "), ("    ", "        ")], "      ", "            "),
        ([("        ", "    ")], "    ", ""),
        ([("     ", "    "), ("         ", "        ")], "             ", "            "),
        ([("    ", "    ")], "\t", "\t"),
        ([("", "")], "  ", "  "),
        ([("   ", "    ")], "    ", "    "),
    ],
    ids=[
        "known", "deeper", "tabs", "from tabs", "units", "less deep", "shifted", "as in the file",
        "no depth", "miscounted",
    ],
)  # fmt: skip
def test_a_depth(pairs: list[tuple[str, str]], asked: str, real: str) -> None:
    indent_pairs = [IndentPair(position, *pair) for position, pair in enumerate(pairs)]
    old = [pair.asked + "x" for pair in indent_pairs]
    lines = TABBED if "\t" in pairs[0][1] else CODE
    depths = infer_depths(indent_pairs, old, [*old, asked + "y"], lines, is_kept=False)
    assert depths.find_indent(asked, -1, 9) == real


def test_depths_equal_in_the_request_follow_the_neighbours() -> None:
    pairs = [IndentPair(0, "", ""), IndentPair(1, "", "    "), IndentPair(2, "", "    ")]
    depths = infer_depths(pairs, ["a", "b", "c"], [], CODE, is_kept=False)
    assert depths.find_indent("", 1, 2) == "    "
    with pytest.raises(ToolError, match="depth of the new lines is not clear"):
        depths.find_indent("", 0, 1)


@pytest.mark.parametrize(
    ("lines", "pairs", "asked", "real"),
    [
        (NARROW * 8, [("", "  ")], "    ", "    "),
        (UNCLEAR, [("", "    ")], "    ", "        "),
        (NARROW, [("", "  ")], "    ", None),
        (["/* a", "   b */"] * 9, [("", "   ")], "    ", None),
        ([*NARROW * 8, *CODE * 8], [("", "  ")], "    ", None),
        (NARROW, [("", "  "), ("    ", "    ")], "        ", "      "),
    ],
    ids=["clear", "its own", "too little", "aligned text", "two units", "shown by pairs"],
)
def test_step_of_request_must_be_known(
    lines: list[str], pairs: list[tuple[str, str]], asked: str, real: str | None
) -> None:
    indent_pairs = [IndentPair(position, *pair) for position, pair in enumerate(pairs)]
    old = [pair.asked + "x" for pair in indent_pairs]
    depths = infer_depths(indent_pairs, old, [*old, asked + "y"], lines, is_kept=False)
    if real is not None:
        assert depths.find_indent(asked, -1, 9) == real
        return
    with pytest.raises(ToolError, match="steps of 4, and the file's own step is not clear"):
        depths.find_indent(asked, -1, 9)


@pytest.mark.parametrize(
    ("new", "asked", "real"),
    [
        (["a", "  b", "    c"], "    ", "            "),
        (["a", "    c"], "    ", None),
        (["a", "  b", "      c"], "      ", None),
        (["a", "  b", "    c", "      d"], "      ", "                "),
        (["    c"], "    ", None),
    ],
)
def test_jump_of_several_steps_is_not_guessed(new: list[str], asked: str, real: str | None) -> None:
    pairs = [IndentPair(0, "", "    "), IndentPair(1, "  ", "        ")]
    depths = infer_depths(pairs, ["x", "  y"], new, CODE * 9, is_kept=False)
    if real is not None:
        assert depths.find_indent(asked, -1, 9) == real
        return
    with pytest.raises(ToolError, match="more than one step"):
        depths.find_indent(asked, -1, 9)
