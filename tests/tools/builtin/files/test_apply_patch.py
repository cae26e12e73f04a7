"""A patch of several files is applied to all of them, or nothing changes anywhere."""

import os
import re
import stat
import subprocess
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from maxagent.tools.builtin.files.apply_patch import apply_patch
from maxagent.tools.definition import extract_paths, get_effect
from maxagent.tools.editing.patch.parser import find_patched_names
from maxagent.tools.filesystem.file_access import hash_content
from maxagent.tools.permissions.evaluate import evaluate_call
from maxagent.tools.permissions.policy import Policy
from maxagent.tools.result import CallResult, ToolError
from maxagent.tools.runtime.invoke import invoke
from maxagent.tools.tool_run import ToolRun
from maxagent.tools.workspace import Workspace

Files = Mapping[str, str]
FILES = {"x": "a\nb\nc\n", "d/y": "1\n2\n", "z": "end"}


@pytest.fixture
def run(tmp_path: Path) -> ToolRun:
    (tmp_path / "project").mkdir()
    return ToolRun(Workspace(tmp_path / "project"), "c", tmp_path / "outputs")


def put(run: ToolRun, files: Files) -> ToolRun:
    """The run of a thread that has read these files."""
    for name, text in files.items():
        path = run.workspace.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return replace(run, seen={name: hash_content(text.encode()) for name, text in files.items()})


def there(run: ToolRun) -> dict[str, str]:
    root = run.workspace.root
    files = [path for path in sorted(root.rglob("*")) if path.is_file()]
    return {path.relative_to(root).as_posix(): path.read_bytes().decode() for path in files}


async def patched(run: ToolRun, patch: str) -> CallResult:
    return await invoke(apply_patch, {"patch": patch}, run)


def envelope(*lines: str) -> str:
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch", ""])


ADD = ["*** Add File: n/new", "+1", "+2"]
UPDATE = ["*** Update File: x", "@@", " a", "-b", "+B"]
MOVE = ["*** Update File: d/y", "*** Move to: e/y", "-1", "+one"]
DELETE = ["*** Delete File: z"]
GIT_MOVE = "diff --git a/d/y b/e/y\nsimilarity index 100%\nrename from d/y\nrename to e/y\n"
GIT_MODE = "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n"
HUNK = "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"
UNENDED = "\\ No newline at end of file\n"


@pytest.mark.parametrize(
    ("patch", "after"),
    [
        (envelope(*UPDATE), {"x": "a\nB\nc\n"}),
        (envelope(*ADD), {"n/new": "1\n2\n"}),
        (envelope(*DELETE), {"z": None}),
        (envelope(*MOVE), {"d/y": None, "e/y": "one\n2\n"}),
        (envelope(*MOVE[:2]), {"d/y": None, "e/y": "1\n2\n"}),
        (
            envelope(*UPDATE, *ADD, *MOVE, *DELETE),
            {"x": "a\nB\nc\n", "n/new": "1\n2\n", "d/y": None, "e/y": "one\n2\n", "z": None},
        ),
        (envelope(*UPDATE, "*** Update File: x", "-B", "+BB"), {"x": "a\nBB\nc\n"}),
        (envelope(*MOVE[:2], "*** Add File: d/y", "+0"), {"d/y": "0\n", "e/y": "1\n2\n"}),
        (envelope(*ADD, "*** Update File: n/new", "-1", "+0"), {"n/new": "0\n2\n"}),
        (envelope(*DELETE, "*** Add File: z", "+Z"), {"z": "Z\n"}),
        (f"apply_patch <<'EOF'\n{envelope(*UPDATE)}EOF\n", {"x": "a\nB\nc\n"}),
        (f"--- a/x\n+++ b/x\n{HUNK}", {"x": "a\nB\nc\n"}),
        (f"--- a/x\r\n+++ b/x\r\n{HUNK}".replace("\n", "\r\n"), {"x": "a\nB\nc\n"}),
        ("--- a/x\n+++ b/x\n@@ -9 +9 @@\n-b\n+B\n", {"x": "a\nB\nc\n"}),
        (GIT_MOVE, {"d/y": None, "e/y": "1\n2\n"}),
        (
            f"{GIT_MOVE}--- a/d/y\n+++ b/e/y\n@@ -1,2 +1,2 @@\n-1\n+one\n 2\n",
            {"d/y": None, "e/y": "one\n2\n"},
        ),
        ("--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+1\n" + UNENDED, {"n": "1"}),
        (f"--- a/z\n+++ /dev/null\n@@ -1 +0,0 @@\n-end\n{UNENDED}", {"z": None}),
        (f"--- a/z\n+++ b/z\n@@ -1 +1 @@\n-end\n{UNENDED}+END\n{UNENDED}", {"z": "END"}),
    ],
)
async def test_a_patch_changes_what_it_says(
    run: ToolRun, patch: str, after: dict[str, str | None]
) -> None:
    run = put(run, FILES)
    result = await patched(run, patch)
    expected = {name: text for name, text in (FILES | after).items() if text is not None}
    assert (result.error, there(run)) == ("", expected)
    assert sorted(result.metadata["paths"]) == sorted(after)
    written = {name: hash_content(text.encode()) for name, text in after.items() if text}
    assert result.seen == written


@pytest.mark.parametrize(
    ("patch", "text"),
    [
        (envelope("*** Update File: no", "-b", "+B"), "`no` does not exist"),
        (envelope("*** Delete File: no"), "`no` does not exist"),
        (envelope("*** Add File: x", "+1"), "`x` exists already"),
        (envelope("*** Add File: d", "+1"), "`d` is a folder"),
        (envelope("*** Add File: n/", "+1"), "names a folder"),
        (envelope("*** Update File: x", "*** Move to: z", "-b", "+B"), "`z` exists already"),
        (envelope(*UPDATE, "*** Update File: z", "-no", "+No"), "`z` (line 7 of the patch)"),
        (envelope(*UPDATE, "*** Update File: x", "-zzz", "+Z"), "`x` (line 7 of the patch)"),
        (envelope(*DELETE, "*** Update File: z", "-end", "+End"), "has removed it before"),
        (envelope(*ADD, *ADD), "`n/new` exists already"),
        (envelope(*ADD, "*** Delete File: n/new"), "changes nothing"),
        (envelope(*ADD, "*** Add File: x/under", "+1"), "`x/under` could not be written"),
        (envelope(*UPDATE, "*** Update File: unread", "-1", "+2"), "has not been read yet"),
        (envelope(*UPDATE, "*** Delete File: unread"), "has not been read yet"),
        (envelope(*UPDATE, "*** Update File: binary", "-1", "+2"), "binary"),
        (envelope(*UPDATE, "*** Add File: ../out", "+1"), "outside the project"),
        (envelope(*UPDATE, "*** Add File: /tmp/out", "+1"), "outside the project"),
        (envelope(*UPDATE, "*** Update File: .env", "-1", "+2"), "ignore patterns"),
        (envelope(*UPDATE, "*** Update File: x", "*** Move to: .env"), "ignore patterns"),
        (envelope(*UPDATE, "*** Delete File: link"), "it is a link"),
        (envelope(*UPDATE, "*** Update File: link", "*** Move to: n"), "it is a link"),
        (envelope(*UPDATE, "*** Update File: nowhere", "-1", "+2"), "leads to nothing"),
        (envelope(*UPDATE, "*** Update File: astray", "-1", "+2"), "outside the project"),
        ("--- a/z\n+++ /dev/null\n@@ -1 +0,0 @@\n-other\n", "does not remove the lines"),
        ("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n b\n", "already so"),
    ],
)
async def test_a_refusal_changes_nothing_and_says_why(run: ToolRun, patch: str, text: str) -> None:
    root = run.workspace.root
    run = put(run, {**FILES, "binary": "\0" * 9})
    (root / "unread").write_text("1\n")
    (root / ".env").write_text("1\n")
    (root / "link").symlink_to("x")
    (root / "nowhere").symlink_to("no")
    (root / "astray").symlink_to("/etc/hostname")
    before = there(run)
    result = await patched(run, patch)
    assert text in result.error
    assert there(run) == before and (root / "link").is_symlink()
    assert not [path for path in root.rglob("*") if path.is_dir() and path.name != "d"]


async def test_what_was_done_is_reported_file_by_file(run: ToolRun) -> None:
    run = put(run, {**FILES, "p": "def f():\n    return one\n"})
    loose = ["*** Update File: p", "-return one", "+return two"]
    result = await patched(run, envelope(*UPDATE, *ADD, *MOVE, *DELETE, *loose))
    lines = result.output.split("\n")
    assert lines[:5] == [
        "`x`: edited (+1 -1)",
        "`n/new`: created (+2 -0)",
        "`e/y`: moved from `d/y` (+1 -1)",
        "`z`: removed (+0 -1)",
        "`p`: edited (+1 -1)",
    ]
    assert "[hunk 1 did not match exactly and was adapted: " in lines[5]
    assert (result.metadata["added"], result.metadata["removed"]) == (5, 4)


async def test_modes_are_kept_and_set(run: ToolRun) -> None:
    run = put(run, {**FILES, "p": "1\n"})
    root = run.workspace.root
    (root / "d/y").chmod(0o750)
    (root / "z").chmod(0o755)
    patch = f"{GIT_MODE}--- a/x\n+++ b/x\n{HUNK}{GIT_MOVE}" + "".join(
        f"diff --git a/{name} b/{name}\n{modes}"
        for name, modes in (
            ("z", "old mode 100755\nnew mode 100644\n"),
            ("n", "new file mode 100755\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+1\n"),
        )
    )
    result = await patched(run, patch)
    modes = {name: stat.S_IMODE((root / name).stat().st_mode) for name in ("x", "e/y", "z", "n")}
    assert (result.error, modes) == ("", {"x": 0o755, "e/y": 0o750, "z": 0o644, "n": 0o755})
    assert "`z`: mode changed (+0 -0)" in result.output


async def test_a_binary_file_can_move(run: ToolRun) -> None:
    run = put(run, {"d/y": "\0\1"})
    result = await patched(run, GIT_MOVE)
    assert (result.error, there(run)) == ("", {"e/y": "\0\1"})


async def test_unread_file_moves_and_stays_unknown(run: ToolRun) -> None:
    result = await patched(replace(put(run, FILES), seen={}), GIT_MOVE)
    assert result.ok and result.seen == {}


async def test_link_is_followed_to_its_target(run: ToolRun) -> None:
    run = put(run, FILES)
    (run.workspace.root / "link").symlink_to("x")
    result = await patched(run, envelope("*** Update File: link", "-b", "+B"))
    assert (result.metadata["paths"], there(run)["x"]) == (["x"], "a\nB\nc\n")
    assert (run.workspace.root / "link").is_symlink()


async def test_changed_file_takes_only_exact_hunks(run: ToolRun) -> None:
    run = put(run, FILES)
    (run.workspace.root / "x").write_text("a\nb\nc\n  d\n")
    result = await patched(run, envelope("*** Update File: x", " c", "-d", "+D"))
    assert "it has changed since you read it" in result.error
    result = await patched(run, envelope("*** Delete File: x"))
    assert "it has changed since you read it" in result.error
    result = await patched(run, envelope(*UPDATE))
    assert (result.ok, result.seen, there(run)["x"]) == (True, {}, "a\nB\nc\n  d\n")
    assert "it had changed since you read it" in result.output


async def test_every_other_byte_is_kept(run: ToolRun) -> None:
    run = put(run, {"x": "\ufeffa\r\nb\nc\r\nd", "w": "1\r\n2\r\n"})
    patch = envelope("*** Update File: x", " b", "-c", "+C", "*** Update File: w", "+3", " 2")
    result = await patched(run, patch)
    assert (result.error, there(run)) == ("", {"x": "\ufeffa\r\nb\nC\r\nd", "w": "1\r\n3\r\n2\r\n"})


def test_each_path_is_evaluated_as_if_alone(run: ToolRun) -> None:
    def verdict(*lines: str) -> str:
        args = {"patch": envelope(*UPDATE, *lines)}
        paths = extract_paths(apply_patch, args)
        return evaluate_call(
            "apply_patch", get_effect(apply_patch), args, paths, run.workspace, Policy("auto")
        ).verdict

    assert verdict() == "allow"
    assert verdict("*** Update File: d/y", "*** Move to: AGENTS.md") == "ask"
    assert verdict("*** Delete File: .vscode/x") == "ask"
    assert verdict("*** Add File: ../x", "+1") == "deny"
    assert verdict("*** Update File: x", "*** Move to: .env") == "deny"


VOCABULARY = [
    *envelope(*UPDATE, *ADD, *MOVE, *DELETE, "*** Move to: link", "*** Add File: ../out").split(
        "\n"
    ),
    *f"{GIT_MODE}--- a/x\n+++ b/x\n{HUNK}{GIT_MOVE}--- a/z\n+++ /dev/null".split("\n"),
    *["--- /dev/null", "+++ b/n", "--- z", "+++ z", "*** Update File: link", "*** Update File: z"],
    *["deleted file mode 100644", "new file mode 100644", "-end", "+End", "rename to ../out"],
]
PATCHES = st.lists(st.sampled_from(VOCABULARY), max_size=9).map("\n".join)
BODIES = PATCHES.map(lambda body: envelope(body))


@settings(
    deadline=None, max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(patch=st.one_of(PATCHES, BODIES))
async def test_nothing_is_written_that_is_not_named(
    tmp_path_factory: pytest.TempPathFactory, patch: str
) -> None:
    top = tmp_path_factory.mktemp("top")
    (top / "project").mkdir()
    run = put(ToolRun(Workspace(top / "project"), "c", top / "outputs"), FILES)
    (top / "project/link").symlink_to("x")

    def everything() -> dict[str, tuple[bytes, int]]:
        paths = [path for path in top.rglob("*") if path.is_file() and not path.is_symlink()]
        return {str(path): (path.read_bytes(), path.stat().st_mode) for path in paths}

    before = everything()
    result = await patched(run, patch)
    after = everything()
    changed = {path for path in before | after if before.get(path) != after.get(path)}
    try:
        patched_names = {
            str(run.workspace.resolve(name)) for name in find_patched_names({"patch": patch})
        }
    except ToolError:
        patched_names = set()
    assert changed <= patched_names
    written = {str(run.workspace.root / path) for path in result.metadata.get("paths", [])}
    assert (changed == written) if result.ok else not changed


def git(folder: Path, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        ["git", "-c", "core.autocrlf=false", *arguments],
        cwd=folder,
        input=stdin.encode(),
        capture_output=True,
        env={**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CEILING_DIRECTORIES": "/"},
    )


ROWS = st.lists(st.sampled_from(["a", "b", "c", "", "-- x", "++ y", " z"]), min_size=1, max_size=12)
TEXTS = st.tuples(ROWS.map("\n".join), st.sampled_from(["", "\n"])).map("".join)
TREES = st.dictionaries(st.sampled_from(["p", "q é", "d/r", "d/s"]), TEXTS, max_size=4)


@settings(
    deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(old=TREES, new=TREES, moves=st.booleans())
async def test_what_git_writes_is_applied_as_git_does(
    tmp_path_factory: pytest.TempPathFactory, old: Files, new: Files, moves: bool
) -> None:
    old, new = ({name: text for name, text in tree.items() if text} for tree in (old, new))
    top = tmp_path_factory.mktemp("git")
    (top / "project").mkdir()
    run = put(ToolRun(Workspace(top / "project"), "c", top / "outputs"), {**old, "k": "keep\n"})
    for name, files in (("old", old), ("new", new)):
        (top / name).mkdir()
        put(ToolRun(Workspace(top / name), "c", top), files)
    names = ["-M20%"] if moves else ["--no-renames"]
    diff = git(top, "diff", "--no-index", *names, "--", "old", "new").stdout.decode()
    diff = re.sub(r'(["ab ])/?(old|new)/', lambda name: name[1] + "/" * (name[1] in "ab"), diff)
    if not diff:
        return
    result = await patched(run, diff)
    assert (result.error, there(run)) == ("", {**new, "k": "keep\n"})
