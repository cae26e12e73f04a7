"""Depths of a request become depths of the file, as shared lines show them."""

import pytest

from maxagent.tools.editing.rewriting.indentation import Pair, learn, unit_of
from maxagent.tools.result import ToolRefusal

CODE = ["def f():", "    if x:", "        return 1", "    return 2"]
TABBED = ["def f():", "\tif x:", "\t\treturn 1"]
NARROW = ["f() {", "  if (x) {", "    y();", "  }", "}"]


@pytest.mark.parametrize(
    ("lines", "unit"), [(CODE, "    "), (TABBED, "\t"), (NARROW, "  "), (["a", "b"], "    ")]
)
def test_the_unit_of_a_file(lines: list[str], unit: str) -> None:
    assert unit_of(lines) == unit


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
    known = [Pair(place, *pair) for place, pair in enumerate(pairs)]
    request = [pair.asked + "x" for pair in known] + [asked + "y"]
    lines = TABBED if "\t" in pairs[0][1] else CODE
    assert learn(known, request, lines, kept=False).of(asked, -1, 9) == real


def test_of_depths_that_are_one_in_the_request_the_neighbours_decide() -> None:
    pairs = [Pair(0, "", ""), Pair(1, "", "    "), Pair(2, "", "    ")]
    depths = learn(pairs, ["a", "b", "c"], CODE, kept=False)
    assert depths.of("", 1, 2) == "    "
    with pytest.raises(ToolRefusal, match="depth of the new lines is not clear"):
        depths.of("", 0, 1)
