"""An edit changes what was asked and nothing else, or nothing at all."""

import asyncio
import os
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from maxagent.tools.builtin.files.edit import edit
from maxagent.tools.builtin.files.read_file import read_file
from maxagent.tools.definition import extract_paths, get_effect
from maxagent.tools.filesystem.file_access import hash_content
from maxagent.tools.result import CallResult
from maxagent.tools.runtime.invoke import invoke
from maxagent.tools.tool_run import ToolRun
from maxagent.tools.workspace import Workspace


@pytest.fixture
def run(tmp_path: Path) -> ToolRun:
    root = tmp_path / "project"
    root.mkdir()
    return ToolRun(workspace=Workspace(root), call_id="c", outputs=tmp_path / "outputs")


def put(run: ToolRun, name: str, data: bytes) -> Path:
    path = run.workspace.root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def knowing(run: ToolRun, *names: str) -> ToolRun:
    """The run of a thread that has read these files as they are now."""
    seen = {name: hash_content((run.workspace.root / name).read_bytes()) for name in names}
    return replace(run, seen=seen)


async def change(run: ToolRun, path: str, old: str, new: str, **args: object) -> CallResult:
    return await invoke(
        edit, {"file_path": path, "old_string": old, "new_string": new, **args}, run
    )


async def test_edit_changes_file_and_shows_place(run: ToolRun) -> None:
    path = put(run, "src/a.py", b"1\n2\n3\nold\n5\n6\n7\n")
    result = await change(knowing(run, "src/a.py"), "src/a.py", "old\n", "new\nnewer\n")
    assert path.read_bytes() == b"1\n2\n3\nnew\nnewer\n5\n6\n7\n"
    assert result.output == (
        "Edited `src/a.py` (+2 -1)\n"
        "     2→2\n     3→3\n     4→new\n     5→newer\n     6→5\n     7→6"
    )
    assert result.seen == {"src/a.py": hash_content(path.read_bytes())}
    assert result.metadata == {
        "path": "src/a.py",
        "paths": ["src/a.py"],
        "strategy": "simple",
        "added": 2,
        "removed": 1,
        "diff": "--- a/src/a.py\n+++ b/src/a.py\n@@ -1,7 +1,8 @@\n"
        " 1\n 2\n 3\n-old\n+new\n+newer\n 5\n 6\n 7\n",
    }


async def test_one_edit_follows_the_other_without_reading_again(run: ToolRun) -> None:
    path = put(run, "a", b"one two")
    read = await invoke(read_file, {"path": "a"}, run)
    first = await change(replace(run, seen=read.seen), "a", "one", "1")
    second = await change(replace(run, seen=first.seen), "a", "two", "2")
    assert second.ok and path.read_bytes() == b"1 2"


async def test_every_place_is_changed_when_asked(run: ToolRun) -> None:
    path = put(run, "a", b"x\ny\nx\nx\n")
    result = await change(knowing(run, "a"), "a", "x", "z", replace_all=True)
    assert path.read_bytes() == b"z\ny\nz\nz\n"
    assert result.output == "Edited `a` (+3 -3)\n     1→z\n     2→y\n     3→z\n     4→z"


@pytest.mark.parametrize(
    ("data", "old", "new", "after"),
    [
        (b"a\r\nb\r\nc\r\n", "a\nb", "A\nx\nB", b"A\r\nx\r\nB\r\nc\r\n"),
        (b"a\r\nb\r\nc\r\n", "a\r\nb", "A\r\nB", b"A\r\nB\r\nc\r\n"),
        (b"a\nb\n", "a\r\nb", "A\r\nB", b"A\nB\n"),
        (b"a\r\nb\nc\r\nd", "b\nc", "B\nC", b"a\r\nB\nC\r\nd"),
        (b"a\rb\r", "b", "B\nC", b"a\rB\rC\r"),
        (b"\xef\xbb\xbfa\n", "a", "b", b"\xef\xbb\xbfb\n"),
        ("配置文件\n".encode("gbk"), "文件", "目录", "配置目录\n".encode("gbk")),
        ("\ufeffa\r\n".encode("utf-16-le"), "a\n", "é\n", "\ufeffé\r\n".encode("utf-16-le")),
        ("汉字汉字".encode() + b"\xff a", "a", "字", "汉字汉字".encode() + b"\xff \xe5\xad\x97"),
        (b"no newline", "newline", "end", b"no end"),
        (b"a\n\n\n", "\n\n\n", "\n", b"a\n"),
        (b"all", "all", "", b""),
        (b"a\x0cb\r c\n", "b\r c", "B", b"a\x0cB\n"),
        (b"x" * 1_000_000 + b" needle", "needle", "n", b"x" * 1_000_000 + b" n"),
    ],
)  # fmt: skip
async def test_all_other_bytes_are_kept(
    run: ToolRun, data: bytes, old: str, new: str, after: bytes
) -> None:
    path = put(run, "file", data)
    result = await change(knowing(run, "file"), "file", old, new)
    assert (result.error, path.read_bytes()) == ("", after)
    assert len(result.output) < 5_000


async def test_an_empty_old_string_makes_a_file(run: ToolRun) -> None:
    result = await change(run, "new/folder/a.py", "", "x = 1\n")
    path = run.workspace.root / "new/folder/a.py"
    assert path.read_bytes() == b"x = 1\n"
    assert result.seen == {"new/folder/a.py": hash_content(b"x = 1\n")}
    assert result.metadata["diff"].startswith("--- /dev/null\n")
    put(run, "empty", b"")
    assert (await change(run, "empty", "", "y\n")).ok


@pytest.mark.parametrize(
    ("path", "old", "new", "reason"),
    [
        ("a", "one", "one", "are the same"),
        ("a", "one\r\n", "one\n", "are the same"),
        ("a", "", "", "are the same"),
        ("a", "", "x", "must be the text to replace"),
        ("a", "x", "y", "2 times"),
        ("a", "missing", "y", "is not in the file"),
        ("a", "one", "\ud800", "cannot hold U+D800"),
        ("b", "one", "y", "does not exist"),
        ("unread", "one", "y", "has not been read yet"),
        ("folder", "", "y", "is a folder"),
        ("folder", "x", "y", "is a folder"),
        ("pipe", "x", "y", "not a regular file"),
        ("pipe", "", "y", "not a regular file"),
        ("binary", "hunter2", "y", "binary"),
        (".env", "KEY", "y", "ignore patterns"),
        (".ENV", "", "y", "ignore patterns"),
        ("harmless", "KEY", "y", "ignore patterns"),
        ("out", "hunter2", "y", "outside the project"),
        ("dangling-out", "", "y", "outside the project"),
        ("dangling", "", "y", "`dangling` is a link that leads to nothing"),
        ("dangling", "x", "y", "`dangling` is a link that leads to nothing"),
        ("../outside", "hunter2", "y", "outside the project"),
        ("/etc/hosts", "", "y", "outside the project"),
        ("~/x", "", "y", "not expanded"),
    ],
)
async def test_what_is_refused_changes_nothing(
    run: ToolRun, path: str, old: str, new: str, reason: str
) -> None:
    root = run.workspace.root
    put(run, "a", b"one\nx\nx\n")
    put(run, "unread", b"one\n")
    put(run, "folder/x", b"x")
    put(run, "binary", b"\0hunter2")
    put(run, ".env", b"KEY=hunter2")
    put(run, "../outside", b"hunter2")
    os.mkfifo(root / "pipe")
    (root / "harmless").symlink_to(".env")
    (root / "out").symlink_to("../outside")
    (root / "dangling-out").symlink_to("../not-yet")
    (root / "dangling").symlink_to("not-yet")
    files = {path: path.read_bytes() for path in root.parent.rglob("*") if path.is_file()}
    existing = knowing(run, "a", "binary", ".env")
    result = await change(existing, path, old, new)
    assert reason in result.error
    assert "hunter2" not in result.error
    assert not result.seen
    assert files == {p: p.read_bytes() for p in root.parent.rglob("*") if p.is_file()}


async def test_changed_file_takes_only_an_exact_edit(
    run: ToolRun,
) -> None:
    path = put(run, "a", b"one\ntwo\n")
    existing = knowing(run, "a")
    path.write_bytes(b"zero\none\ntwo\ntwo\n")
    result = await change(existing, "a", "one", "1")
    assert path.read_bytes() == b"zero\n1\ntwo\ntwo\n"
    assert "[the file had changed since you read it" in result.output
    assert result.seen == {}
    for old, args in [("two", {"replace_all": True}), ("two", {}), ("gone", {})]:
        assert (
            "has changed since you read it; read it again"
            in (await change(existing, "a", old, "x", **args)).error
        )
    assert path.read_bytes() == b"zero\n1\ntwo\ntwo\n"


async def test_the_mode_is_kept_and_links_stay_links(run: ToolRun) -> None:
    path = put(run, "script", b"old\n")
    path.chmod(0o755)
    (run.workspace.root / "link").symlink_to("script")
    assert (await change(knowing(run, "script"), "link", "old", "new")).ok
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"new\n", 0o755)
    assert (run.workspace.root / "link").is_symlink()


@pytest.mark.parametrize("name", ["-rf", "two\nlines", "文 件.txt", ".env.example", "secrets.py"])
async def test_hard_and_innocent_names_are_edited(run: ToolRun, name: str) -> None:
    path = put(run, name, b"old")
    assert (await change(knowing(run, name), name, "old", "new")).ok
    assert path.read_bytes() == b"new"


LETTERS = b"a\r\nb\nc\r\n"


@pytest.mark.parametrize(
    ("edits", "after"),
    [
        ([("a", "A"), ("b", "B")], b"A\r\nB\nc\r\n"),
        ([("b", "x\nb"), ("x", "y")], b"a\r\ny\r\nb\nc\r\n"),
        ([("a\nb\n", ""), ("c", "a\nc")], b"a\r\nc\r\n"),
        ([("c\n", "c\nd\n"), ("d\n", "")], b"a\r\nb\nc\r\n"),
    ],
)
async def test_several_edits_are_made_in_order(
    run: ToolRun, edits: list[tuple[str, str]], after: bytes
) -> None:
    path = put(run, "a", LETTERS)
    entries = [{"old_string": old, "new_string": new} for old, new in edits]
    result = await invoke(edit, {"file_path": "a", "edits": entries}, knowing(run, "a"))
    assert path.read_bytes() == after
    if after == LETTERS:
        assert "the edits together change nothing" in result.error
    else:
        assert result.ok and result.seen == {"a": hash_content(after)}


async def test_of_several_edits_all_are_made_or_none(run: ToolRun) -> None:
    path = put(run, "a", LETTERS)
    names = [{"old_string": old, "new_string": "x"} for old in ("a", "b", "gone", "c")]
    result = await invoke(edit, {"file_path": "a", "edits": names}, knowing(run, "a"))
    assert result.error.startswith("edit 3 of 4: ") and path.read_bytes() == LETTERS


async def test_edits_say_every_place_that_changed(run: ToolRun) -> None:
    put(run, "a", b"".join(b"%d\n" % number for number in range(1, 101)))
    lines = [{"old_string": f"{at}\n", "new_string": f"<{at}>\n"} for at in (20, 60, 61)]
    result = await invoke(edit, {"file_path": "a", "edits": lines}, knowing(run, "a"))
    assert [line.strip() for line in result.output.split("\n")] == [
        "Edited `a` (+3 -3)",
        *("18→18", "19→19", "20→<20>", "21→21", "22→22", "…"),
        *("58→58", "59→59", "60→<60>", "61→<61>", "62→62", "63→63"),
    ]


async def test_concurrent_edits_of_one_file_all_apply(run: ToolRun) -> None:
    path = put(run, "a", b"".join(b"<%d>\n" % number for number in range(40)))
    (run.workspace.root / "link").symlink_to("a")
    existing = knowing(run, "a")
    results = await asyncio.gather(
        *(
            change(existing, "link" if number % 2 else "a", f"<{number}>", f"[{number}]")
            for number in range(40)
        )
    )
    assert all(result.ok for result in results)
    assert path.read_bytes() == b"".join(b"[%d]\n" % number for number in range(40))


def test_it_edits() -> None:
    assert (get_effect(edit), extract_paths(edit, {"file_path": "x"})) == ("edit", ["x"])


LINES = b"one\ntwo\nthree\nfour\nfive\n"


@pytest.mark.parametrize(
    ("edits", "says"),
    [
        ([("one", "1\n1\n1"), ("for", "4")], ["edit 2 of 2: ", "     4→four"]),
        ([("one\n", ""), ("for", "4")], ["edit 2 of 2: ", "     4→four"]),
        ([("one", "1"), ("two", "2"), ("fiv", "5")], ["edit 3 of 3: ", "     5→five"]),
        ([("absent", "x"), ("two", "2")], ["edit 1 of 2: "]),
        ([("four", "4"), ("four", "5")], ["edit 2 of 2: ", "An earlier edit of this call"]),
    ],
)
async def test_failed_edits_are_explained_by_the_file(
    edits: list[tuple[str, str]], says: list[str], run: ToolRun
) -> None:
    path = put(run, "a", LINES)
    pairs = [{"old_string": f"{old}", "new_string": new} for old, new in edits]
    result = await invoke(edit, {"file_path": "a", "edits": pairs}, knowing(run, "a"))
    for text in [*says, f"None of the {len(edits)} edits was applied"]:
        assert text in result.error
    assert path.read_bytes() == LINES
