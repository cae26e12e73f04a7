import pytest

from maxagent.cli.rendering.diffs.parser import parse_diff
from maxagent.tools.textedits.unified_diff import build_diff

GIT = """diff --git a/old.py b/new.py
similarity index 90%
rename from old.py
rename to new.py
index 1..2 100644
--- a/old.py
+++ b/new.py
@@ -1,2 +1,2 @@ def f
 x
--- y
+++ z
diff --git a/bin b/bin
index 1..2 100644
Binary files a/bin and b/bin differ
diff --git "a/\\344\\270\\255.py" "b/\\344\\270\\255.py"
new file mode 100644
--- /dev/null
+++ "b/\\344\\270\\255.py"
@@ -0,0 +1 @@
+x
\\ No newline at end of file
"""


def test_files_names_and_notes_are_found() -> None:
    renamed, binary, new = parse_diff(GIT)
    assert (renamed.path, binary.path, new.path) == ("new.py", "bin", "中.py")
    assert renamed.notes == ["similarity index 90%", "rename from old.py", "rename to new.py"]
    assert binary.notes == ["Binary files a/bin and b/bin differ"] and not binary.hunks
    assert new.notes[0] == "new file mode 100644" and (new.added, new.removed) == (1, 0)


def test_lines_that_look_like_headers_stay_in_their_hunk() -> None:
    lines = [(line.kind, line.text, line.number) for line in parse_diff(GIT)[0].hunks[0]]
    assert lines == [("context", "x", 1), ("removed", "-- y", 2), ("added", "++ z", 2)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a\nb\nc\n", "a\nB\nc\n"),
        ("a\n", "a\n\n\nb\n"),
        ("", "x"),
        (None, "x\ny\n"),
        ("x\ny\n", None),
        ("-- a\n@@ -1 +1 @@\n", "++ b\n@@ -1 +1 @@\n"),
        ("\n".join(map(str, range(60))), "\n".join(f"{n}{'!' * (n % 20 == 0)}" for n in range(60))),
    ],
)
def test_every_line_keeps_its_number(old: str | None, new: str | None) -> None:
    (file,) = parse_diff(build_diff(old, new, "x.py"))
    sides = {"removed": (old or "").split("\n"), "added": (new or "").split("\n")}
    for line in (line for hunk in file.hunks for line in hunk if line.kind != "note"):
        assert sides["removed" if line.kind == "removed" else "added"][line.number - 1] == line.text


def test_text_that_is_no_diff_is_kept() -> None:
    (file,) = parse_diff("-old\n+new\n")
    assert file.notes == ["-old", "+new"]
