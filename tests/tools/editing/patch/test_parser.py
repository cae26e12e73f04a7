"""Either form of a patch is told from the other, and all it may touch is named."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maxagent.tools.editing.patch.parser import find_patched_names, parse_patch
from maxagent.tools.result import ToolError

DIFF = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"
MOVE = "diff --git a/y b/z\nrename from y\nrename to z\n"
ENVELOPE = (
    "*** Begin Patch\n*** Update File: x\n*** Move to: y\n*** Delete File: z\n*** End Patch\n"
)
LINES = st.sampled_from([*(DIFF + MOVE + ENVELOPE).splitlines(), "*** Add File: n", "+a", "EOF"])


@pytest.mark.parametrize(
    ("patch", "names"),
    [
        (DIFF, ["x"]),
        (DIFF + MOVE, ["x", "y", "z"]),
        (ENVELOPE, ["x", "y", "z"]),
        (DIFF + DIFF, ["x"]),
        (None, []),
        (["--- a/x"], []),
    ],
)
def test_every_file_is_named(patch: object, names: list[str]) -> None:
    assert find_patched_names({"patch": patch}) == names


@pytest.mark.parametrize("patch", ["", " \n", "words"])
def test_what_is_no_patch_is_refused(patch: str) -> None:
    with pytest.raises(ToolError):
        parse_patch(patch)


@settings(deadline=None)
@given(st.lists(st.one_of(LINES, st.text(max_size=9))).map("\n".join))
def test_names_are_those_of_what_is_carried_out(patch: str) -> None:
    try:
        names = {name for found in parse_patch(patch) for name in (found.path, found.target)}
    except ToolError as refusal:
        assert str(refusal)
    else:
        assert set(find_patched_names({"patch": patch})) == names - {""}
