"""Remarks that stand for code are told from code and from other remarks."""

import pytest

from maxagent.tools.editing.elided_code import find_elisions, is_elision


@pytest.mark.parametrize(
    "line",
    [
        "// ... existing code ...",
        "    # ... rest of the function unchanged ...",
        "# ... rest of code",
        "/* ... */",
        "// ...",
        "<!-- rest remains unchanged -->",
        "{/* ... existing JSX ... */}",
        "... rest unchanged ...",
        "# (rest of the method stays the same)",
        "// rest of the code remains the same",
        "# existing code here",
        "// existing code",
        "-- … other columns …",
        "# rest of file unchanged",
    ],
)
def test_a_remark_for_left_out_code(line: str) -> None:
    assert is_elision(line)


@pytest.mark.parametrize(
    "line",
    [
        "...",
        "    ...",
        "    ...rest,",
        "...props",
        "def f(*args): ...",
        "print('the rest of the code ...')",
        "# handles existing code paths",
        "# Wait for the rest of the workers to finish before going on",
        "# Other options",
        "// TODO: remove the remaining callers",
        "x = [1, ..., 2]",
        "",
        "# same as before, but faster by a factor of 2",
    ],
)
def test_code_and_other_remarks(line: str) -> None:
    assert not is_elision(line)


def test_the_lines_are_given_as_they_are() -> None:
    assert find_elisions(["a", "  # ... existing code ...", "..."]) == ["  # ... existing code ..."]
