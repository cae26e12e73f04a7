"""New lines get the indentation that the first old line lacks, if it is clear which of them do."""

import pytest

from maxagent.tools.editing.matching.common_lines import find_shared_lines
from maxagent.tools.editing.rewriting.first_line import complete_new_lines
from maxagent.tools.result import ToolError

OLD = ["def f(self, x):", "        if x:", "            go()", "        return x"]


@pytest.mark.parametrize(
    ("old", "new", "complete"),
    [
        (
            OLD,
            ["def f(self, x):", "    if x:", "        stop()", "    return x"],
            ["    def f(self, x):", "        if x:", "            stop()", "        return x"],
        ),
        (
            OLD,
            ["def f(self, x):", "        if x:", "            stop()", "        return x"],
            ["    def f(self, x):", "        if x:", "            stop()", "        return x"],
        ),
        (OLD, ["def f(self, x):", "        stop()"], ["    def f(self, x):", "        stop()"]),
        (
            OLD,
            ["    def f(self, x):", "        return x"],
            ["    def f(self, x):", "        return x"],
        ),
        (OLD, ["def f(self, x):", "    stop()", "    end()"], None),
        (OLD, ["def f(self, x):", "    if x:", "        return x"], None),
        (OLD, [OLD[0], "    if x:", "            go()", "    return x"], None),
        (["a = 1", "    b = 2"], ["if x:", "    b = 3"], None),
        (["a = 1", "    b = 2"], ["a = 3", "    b = 2"], ["    a = 3", "    b = 2"]),
        (["a = 1", "    b = 2"], ["a = 3", "b = 2"], ["    a = 3", "    b = 2"]),
        (OLD, [""], [""]),
        (OLD, ["stop()"], ["    stop()"]),
    ],
)
def test_new_lines_get_what_they_lack(
    old: list[str], new: list[str], complete: list[str] | None
) -> None:
    shared = find_shared_lines(old, new)
    if complete is not None:
        assert complete_new_lines("    ", old, new, shared, 4) == complete
        return
    with pytest.raises(ToolError, match="the first old line lacks indentation"):
        complete_new_lines("    ", old, new, shared, 4)


@pytest.mark.parametrize(
    ("new", "complete"),
    [
        ([" return 2"], ["    return 2"]),
        ([" if x:", "     return 2"], ["    if x:", "        return 2"]),
        ([" if x:", "        return 2"], ["    if x:", "        return 2"]),
        ([" if x:", "    return 2"], None),
        ([" if x:", "      return 2"], None),
        (["    if x:", "        return 2"], ["    if x:", "        return 2"]),
    ],
)
def test_line_cut_within_its_indentation(new: list[str], complete: list[str] | None) -> None:
    if complete is not None:
        assert complete_new_lines("   ", [" return 1"], new, [], 4) == complete
        return
    with pytest.raises(ToolError, match="the first old line lacks indentation"):
        complete_new_lines("   ", [" return 1"], new, [], 4)
