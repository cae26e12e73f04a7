"""A diff is read as git reads it, its counts aside, or refused with the line that is wrong."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maxagent.tools.editing.patch.apply_hunk import Hunk
from maxagent.tools.editing.patch.file_patch import FilePatch
from maxagent.tools.editing.patch.unified_diff import (
    parse_git_names,
    parse_header_name,
    parse_unified,
    without_prefixes,
)
from maxagent.tools.result import ToolError
from maxagent.tools.textedits.unified_diff import build_diff


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("a/x.py", "a/x.py"),
        ("a/x.py\t2024-01-02 10:00:00.000000000 +0100", "a/x.py"),
        ("x.py 2024-01-02 10:00:00", "x.py"),
        ("a/with blank.py\t", "a/with blank.py"),
        ("a/with blank.py", "a/with blank.py"),
        (r'"a/\303\251\t\"\\.py"', 'a/é\t"\\.py'),
        ("/dev/null", "/dev/null"),
        ("", ""),
    ],
)
def test_a_name_is_read_from_a_header(text: str, name: str) -> None:
    assert parse_header_name(text) == name


@pytest.mark.parametrize("text", [r'"a/\377"', r'"a/\777"'])
def test_a_name_that_is_no_text_is_refused(text: str) -> None:
    with pytest.raises(ToolError, match="cannot be read"):
        parse_header_name(text)


@pytest.mark.parametrize(
    ("old", "new", "names"),
    [
        ("a/x", "b/x", ("x", "x")),
        ("i/x", "w/x", ("x", "x")),
        ("/dev/null", "b/x", ("/dev/null", "x")),
        ("a/x", "/dev/null", ("x", "/dev/null")),
        ("x", "x", ("x", "x")),
        ("a/x", "a/x", ("a/x", "a/x")),
        ("src/x", "src/x", ("src/x", "src/x")),
        ("a/x", "y", ("a/x", "y")),
    ],
)
def test_prefixes_go_in_pairs(old: str, new: str, names: tuple[str, str]) -> None:
    assert without_prefixes(old, new) == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a/x b/x", ("x", "x")),
        ("a/a b b/a b", ("a b", "a b")),
        (r'"a/\303\251" "b/\303\251"', ("é", "é")),
        ('a/x "b/\\ty"', ("x", "\ty")),
        ("x x", ("x", "x")),
        ("a/x b/y", None),
        ("", None),
    ],
)
def test_names_of_a_git_header_are_separated(text: str, names: tuple[str, str] | None) -> None:
    assert parse_git_names(text) == names


@settings(deadline=None)
@given(st.text(st.characters(exclude_characters="\0\ud800", codec="utf-8"), min_size=1))
def test_our_own_headers_give_back_the_name(name: str) -> None:
    header = build_diff("a\n", "b\n", f"d/{name}x").split("\n@@")[0].split("\n+++ ")
    old, new = parse_header_name(header[0].removeprefix("--- ")), parse_header_name(header[1])
    assert without_prefixes(old, new) == (f"d/{name}x", f"d/{name}x")


@settings(deadline=None)
@given(st.text())
def test_any_name_is_read_or_refused(rest: str) -> None:
    try:
        parse_header_name(rest)
        parse_git_names(rest)
    except ToolError as refusal:
        assert str(refusal)


HEAD = "--- a/x\n+++ b/x\n"
HUNK = "@@ -3,3 +3,3 @@ def f():\n a\n-b\n+c\n d\n"
READ = Hunk((" a", "-b", "+c", " d"), line=3)
TEXTS = st.lists(st.sampled_from(["a", "b", "-- x", "++ y", "@@ z", "", "\\ q"])).map("\n".join)
ENDS = st.sampled_from(["", "\n"])


def update(*hunks: Hunk, line: int = 1, path: str = "x", **more: object) -> FilePatch:
    return FilePatch(line, "update", path, hunks=hunks, **more)


def git(*lines: str, names: str = "a/x b/x") -> str:
    return "\n".join([f"diff --git {names}", *lines, ""])


@pytest.mark.parametrize(
    ("patch", "read"),
    [
        (HEAD + HUNK, [update(READ)]),
        ("```diff\n" + HEAD + HUNK + "```\n", [update(READ, line=2)]),
        ("Some words.\n\n" + HEAD + HUNK + "\n", [update(READ, line=3)]),
        ((HEAD + HUNK).replace("\n", "\r\n"), [update(READ)]),
        (HEAD + HUNK + "-- \n2.39.2\n\n", [update(READ)]),
        (HEAD + HUNK.replace("-3,3 +3,3", "-3,99 +4,0"), [update(READ)]),
        ("--- x\t2024-01-01 00:00:00\n+++ x\t2025-01-01 00:00:00\n" + HUNK, [update(READ)]),
        ("--- x.orig\n+++ x\n" + HUNK, [update(READ)]),
        ("Index: x\n======\n" + HEAD + HUNK, [update(READ, line=3)]),
        (git("index 1..2 100644", *(HEAD + HUNK).splitlines()), [update(READ)]),
        (
            HEAD + HUNK + HEAD.replace("x", "y") + HUNK,
            [update(READ), update(READ, line=8, path="y")],
        ),
        (HEAD + HUNK + HUNK, [update(READ, READ)]),
        (HEAD + "@@\n-b\n+c\n", [update(Hunk(("-b", "+c")))]),
        (HEAD + "@@ ... @@\n-b\n+c\n", [update(Hunk(("-b", "+c")))]),
        (HEAD + "@@ def f():\n-b\n+c\n", [update(Hunk(("-b", "+c"), context=("def f():",)))]),
        (HEAD + "@@ -1,2 +1,2 @@\n\n-b\n+c\n\n\n", [update(Hunk((" ", "-b", "+c"), line=1))]),
        (HEAD + "@@ -4,0 +5 @@\n+c\n", [update(Hunk(("+c",), line=5))]),
        (
            HEAD + "@@ -1 +1 @@\n-b\n\\ No newline at end of file\n+c\n",
            [update(Hunk(("-b", "+c"), line=1, old_unended=True))],
        ),
        (
            HEAD + "@@ -1 +1 @@\n-b\n+c\n\\ No newline at end of file\n",
            [update(Hunk(("-b", "+c"), line=1, new_unended=True))],
        ),
        (
            HEAD + "@@ -1 +1,2 @@\n+c\n b\n\\ No newline at end of file\n",
            [update(Hunk(("+c", " b"), line=1, old_unended=True, new_unended=True))],
        ),
        (
            HEAD + "@@ -1,2 +1,2 @@\n a\n--- x\n+++ y\n@@ -9 +9 @@\n-b\n+c\n",
            [update(Hunk((" a", "--- x", "+++ y"), line=1), Hunk(("-b", "+c"), line=9))],
        ),
        (git("old mode 100644", "new mode 100755"), [update(executable=True)]),
        (git("old mode 100755", "new mode 100644"), [update(executable=False)]),
        (
            git("similarity index 100%", "rename from x", "rename to d/y", names="a/x b/d/y"),
            [update(target="d/y")],
        ),
        (
            git("rename from x", "rename to y", "--- a/x", "+++ b/y", "@@ -1 +1 @@", "-b", "+c"),
            [update(Hunk(("-b", "+c"), line=1), target="y")],
        ),
        (
            "--- /dev/null\n+++ b/x\n@@ -0,0 +1,2 @@\n+a\n+\n",
            [FilePatch(1, "create", "x", content="a\n\n")],
        ),
        (
            git("new file mode 100755", "--- /dev/null", "+++ b/x", "@@ -0,0 +1 @@", "+a", "\\ No"),
            [FilePatch(1, "create", "x", content="a", executable=True)],
        ),
        (git("new file mode 100644"), [FilePatch(1, "create", "x", content="", executable=False)]),
        (git("deleted file mode 100644"), [FilePatch(1, "delete", "x", content="")]),
        (
            "--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n",
            [FilePatch(1, "delete", "x", content="a\n")],
        ),
        (
            git("deleted file mode 100644", "--- a/x", "+++ b/x", "@@ -1 +0,0 @@", "-a", "\\ No"),
            [FilePatch(1, "delete", "x", content="a")],
        ),
    ],
)
def test_a_diff_is_read(patch: str, read: list[FilePatch]) -> None:
    assert parse_unified(patch) == read


@pytest.mark.parametrize(
    ("patch", "text"),
    [
        ("", "there is no file"),
        ("some words\nno diff", "there is no file"),
        (HUNK, "line 1 of the patch, `@@ -3,3 +3,3 @@ def f():`, belongs to no file"),
        ("--- a/x\n" + HUNK, "no `+++ ` follows"),
        ("+++ b/x\n" + HUNK, "line 1 of the patch, `+++ b/x`, belongs to no file"),
        (HEAD, "has no hunk"),
        (HEAD + "@@ -1 +1 @@\n", "line 3 of the patch is empty"),
        (HEAD + "@@ -x +1 @@\n-b\n+c\nd\n", "line 6 of the patch, `d`, begins with none"),
        (HEAD + HUNK + "lost\n", "line 8 of the patch, `lost`"),
        (HEAD + "@@ -1,2 +1,2 @ f\n-b\n+c\n", "cannot be read"),
        (HEAD + "@@@ -1 -1 +1 @@@\n--b\n++c\n", "cannot be read"),
        (HEAD + "@@ -1 +1 @@\n\\ No newline\n", "follows no line"),
        (HEAD + "@@ -1 +1 @@\n-a\n\\ No newline\n-b\n", "makes the last"),
        (HEAD + "@@ -1 +1 @@\n+a\n\\ No newline\n b\n", "makes the last"),
        ("--- a/x\n+++ b/y\n" + HUNK, "two files, `x` and `y`"),
        ("--- /dev/null\n+++ /dev/null\n" + HUNK, "only lines that begin with `+`"),
        ("--- /dev/null\n+++ b/x\n" + HUNK, "only lines that begin with `+`"),
        ("--- a/x\n+++ /dev/null\n" + HUNK, "only lines that begin with `-`"),
        (git("copy from x", "copy to y"), "copies are not supported"),
        (git("new file mode 120000", "--- /dev/null", "+++ b/x", "@@ -0,0 +1 @@", "+y"), "120000"),
        (git("old mode 100644", "new mode 160000"), "160000"),
        (git("index 1..2 100644"), "says nothing to change"),
        (git("new file mode 100644", names="a/x b/y"), "cannot be read"),
        (git("rename from x", "rename to y", *(HEAD + HUNK).splitlines()), "different files"),
        (git("rename from x", names="a/x b/x"), "says nothing to change"),
        ("rename from x\nrename to y\n" + HEAD + HUNK, "belongs to no file"),
        (git("index 1..2", "GIT binary patch", "literal 1"), "says nothing to change"),
        (HEAD + HUNK + "diff -u p q\nBinary files p and q differ\n", "binary file"),
        ('--- "a/\\377"\n+++ "b/\\377"\n' + HUNK, "cannot be read"),
        ("*** a/x\n--- b/x\n***************\n*** 1 ****\n", "no `+++ ` follows"),
    ],
)
def test_what_is_no_diff_is_refused(patch: str, text: str) -> None:
    with pytest.raises(ToolError) as refusal:
        parse_unified(patch)
    assert text in str(refusal.value)


def applied(old: str, patch: FilePatch) -> str:
    """The text after hunks that stand exactly at their lines."""
    lines, done, new = old.split("\n"), 0, list[str]()
    for hunk in patch.hunks:
        at = (hunk.line or 1) - 1
        assert tuple(lines[at : at + len(hunk.old)]) == hunk.old
        new += [*lines[done:at], *hunk.new]
        done = at + len(hunk.old)
    line, last = lines[done:], patch.hunks[-1]
    unended = last.new_unended or (line != [""] and not last.old_unended and bool(line))
    text = "\n".join([*new, *(line if line != [""] else [])])
    return text if unended or not text else text.removesuffix("\n") + "\n"


@settings(deadline=None)
@given(TEXTS, ENDS, TEXTS, ENDS)
def test_our_own_diffs_give_back_the_new_text(old: str, end: str, new: str, last: str) -> None:
    old, new = old.strip("\n") + "x" + end, new.strip("\n") + "y" + last
    (patch,) = parse_unified(build_diff(old, new, "d/x y"))
    assert (patch.action, patch.path, applied(old, patch)) == ("update", "d/x y", new)


@settings(deadline=None)
@given(TEXTS)
def test_our_own_diffs_give_back_a_new_file(new: str) -> None:
    patches = parse_unified(build_diff(None, new + "\n", "x"))
    assert [(patch.action, patch.content) for patch in patches] == [("create", new + "\n")]


PIECES = st.sampled_from(
    ["--- a/x", "+++ b/x", "@@ -1,2 +1,2 @@", "@@", "-a", "+b", " c", "", "\\ No newline at end"]
    + ["diff --git a/x b/x", "rename from x", "rename to y", "new file mode 100644", "```"]
    + ["deleted file mode 100644", "--- /dev/null", "+++ /dev/null", "Binary files a and b differ"]
)


@settings(deadline=None)
@given(st.lists(st.one_of(PIECES, st.text(max_size=9))).map("\n".join))
def test_any_text_is_read_or_refused(patch: str) -> None:
    try:
        patches = parse_unified(patch)
    except ToolError as refusal:
        assert str(refusal)
    else:
        assert patches and all(result.path for result in patches)
