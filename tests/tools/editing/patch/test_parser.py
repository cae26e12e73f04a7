"""Either form of a patch is told from the other, and all it may touch is named."""

from textwrap import indent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maxagent.tools.editing.patch.apply_hunk import Hunk
from maxagent.tools.editing.patch.file_patch import FilePatch
from maxagent.tools.editing.patch.parser import (
    find_patched_names,
    is_envelope,
    parse_envelope,
    parse_patch,
)
from maxagent.tools.result import ToolError

HUNK = "@@ def f():\n a\n-b\n+c\n"
GONE = FilePatch(2, "delete", "x")
READ = Hunk((" a", "-b", "+c"), context=("def f():",))


def envelope(body: str) -> str:
    return f"*** Begin Patch\n{body}*** End Patch\n"


def update(*hunks: Hunk, line: int = 2, target: str = "") -> FilePatch:
    return FilePatch(line, "update", "x", target, hunks)


@pytest.mark.parametrize(
    ("patch", "read"),
    [
        (envelope("*** Update File: x\n" + HUNK), [update(READ)]),
        (envelope("*** Update File: x\n" + HUNK).replace("\n", "\r\n"), [update(READ)]),
        ("\n```\n" + envelope("*** Update File: x\n" + HUNK) + "```", [update(READ, line=4)]),
        (
            "apply_patch <<'EOF'\n" + envelope("*** Update File: x\n" + HUNK) + "EOF\n",
            [update(READ, line=3)],
        ),
        ("<<EOF\n" + envelope("*** Delete File: x\n") + "EOF", [FilePatch(3, "delete", "x")]),
        (envelope("*** Update File:  x \n\n" + HUNK + "\n\n"), [update(READ)]),
        (envelope("*** Update File: x\n-b\n+c\n"), [update(Hunk(("-b", "+c")))]),
        (envelope("*** Update File: x\n@@\n-b\n\n+c\n"), [update(Hunk(("-b", " ", "+c")))]),
        (envelope("*** Update File: x\n" + HUNK + HUNK), [update(READ, READ)]),
        (
            envelope("*** Update File: x\n@@ class A:\n@@     def f():\n-b\n+c\n"),
            [update(Hunk(("-b", "+c"), context=("class A:", "def f():")))],
        ),
        (
            envelope("*** Update File: x\n@@ -3,2 +3,2 @@ def f():\n-b\n+c\n"),
            [update(Hunk(("-b", "+c"), line=3))],
        ),
        (
            envelope("*** Update File: x\n@@\n+c\n*** End of File\n"),
            [update(Hunk(("+c",), at_end=True))],
        ),
        (envelope("*** Update File: x\n*** Move to: d/y\n"), [update(target="d/y")]),
        (envelope("*** Update File: x\n*** Move to: y\n" + HUNK), [update(READ, target="y")]),
        (
            envelope("*** Add File: a b\n+1\n+\n\n+*** End Patch\n\n*** Delete File: z\n"),
            [
                FilePatch(2, "create", "a b", content="1\n\n\n*** End Patch\n"),
                FilePatch(8, "delete", "z"),
            ],
        ),
        (envelope("*** Add File: x\n"), [FilePatch(2, "create", "x", content="")]),
        ("*** Update File: x\n" + HUNK, [update(READ, line=1)]),
        ("```\n*** Update File: x\n" + HUNK + "```\n", [update(READ)]),
        ("*** Begin Patch ***\n*** Delete File: x\n*** End Patch ***\n", [GONE]),
        ("***Begin Patch\n***  Delete File: x\n***  End Patch", [GONE]),
        ("*** Begin Patch\n  *** Delete File: x \n*** End Patch", [GONE]),
        ("*** Begin Patch\n*** Update File: x\n" + HUNK + " *** End Patch\n", [update(READ)]),
        (indent(envelope("*** Update File: x\n" + HUNK), "    "), [update(READ)]),
    ],
)
def test_an_envelope_is_read(patch: str, read: list[FilePatch]) -> None:
    assert is_envelope(patch)
    assert parse_envelope(patch) == read


@pytest.mark.parametrize(
    ("patch", "text"),
    [
        ("*** Update File: x\n-b\n+c\n*** End Patch", "must begin with `*** Begin Patch`"),
        ("*** Begin Patch\n*** Update File: x\n-b\n+c\n", "no `*** End Patch`"),
        ("*** End Patch\n*** Begin Patch\n", "must begin with"),
        (envelope(""), "there is no file"),
        (envelope("-b\n+c\n"), "line 2 of the patch, `-b`: expected `*** Add File: path`"),
        (envelope("*** Rename File: x\n"), "line 2 of the patch"),
        (envelope("*** Update File: x\n"), "changes nothing"),
        (envelope("*** Update File: x\n@@\n"), "the hunk is empty"),
        (envelope("*** Update File:\n-b\n"), "names no file"),
        (envelope("*** Update File: x\n*** Move to:\n"), "names no file"),
        (envelope("*** Update File: x\n-b\nc\n"), "line 4 of the patch, `c`"),
        (envelope("*** Update File: x\n-b\n*** Move to: y\n"), "line 4 of the patch"),
        (envelope("*** Update File: x\n*** End of File\n"), "the hunk is empty"),
        (envelope("*** Add File: x\n+a\nb\n"), "line 4 of the patch, `b`: every line"),
        (envelope("*** Delete File: x\n-a\n"), "nothing stands below"),
        (envelope("*** Delete File: x\n") + envelope("*** Delete File: y\n"), "something follows"),
        ("Do this:\n" + envelope("*** Delete File: x\n"), "line 1 of the patch, `Do this:`"),
    ],
)
def test_an_unclear_envelope_is_refused(patch: str, text: str) -> None:
    assert is_envelope(patch)
    with pytest.raises(ToolError) as refusal:
        parse_envelope(patch)
    assert text in str(refusal.value)


@pytest.mark.parametrize(
    "patch", ["--- a/x\n+++ b/x\n@@ -1 +1 @@\n *** Begin Patch\n-*** Add File: y\n+z\n", "", "text"]
)
def test_a_diff_about_envelopes_is_none(patch: str) -> None:
    assert not is_envelope(patch)


PIECES = st.sampled_from(
    ["*** Begin Patch", "*** End Patch", "*** Update File: x", "*** Add File: y", "*** Move to: z"]
    + ["*** Delete File: x", "*** End of File", "@@", "@@ f", "-a", "+b", " c", "", "EOF", "```"]
)


@settings(deadline=None)
@given(st.lists(st.one_of(PIECES, st.text(max_size=9))))
def test_any_text_is_read_or_refused(lines: list[str]) -> None:
    for patch in ("\n".join(lines), "\n".join(["*** Begin Patch", *lines, "*** End Patch"])):
        try:
            patches = parse_envelope(patch)
        except ToolError as refusal:
            assert str(refusal)
        else:
            assert patches and all(result.path for result in patches)


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
        names = {name for result in parse_patch(patch) for name in (result.path, result.target)}
    except ToolError as refusal:
        assert str(refusal)
    else:
        assert set(find_patched_names({"patch": patch})) == names - {""}
