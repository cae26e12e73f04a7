from collections.abc import Mapping
from pathlib import Path

import pytest

from maxagent.tools.result import CallResult
from maxagent.tools.runtime.invoke import invoke
from maxagent.tools.runtime.registry import canonical, resolve
from maxagent.tools.tool_run import ToolRun
from maxagent.tools.workspace import Workspace

KEY = "Zq8-the-key"
MARK = "[secret: MY_TOKEN]"
FILE = f"one\ntoken = '{KEY}'\nthree\n"


class Desk:
    """A project with a file in which a known key stands."""

    def __init__(self, folder: Path) -> None:
        self.root, self.outputs = folder / "project", folder / "outputs"
        self.root.mkdir()
        self.file = self.root / "a.txt"
        self.file.write_text(FILE)
        self.live: list[str] = []
        self.seen: dict[str, str] = {}

    async def call(self, name: str, **args: object) -> CallResult:
        tool = resolve(name)
        assert tool
        run = ToolRun(
            Workspace(self.root), "c1", self.outputs, seen=self.seen, emit=self.live.append
        )
        result = await invoke(tool, canonical(name, args)[1], run)
        self.seen |= result.seen
        return result


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setenv("MY_TOKEN", KEY)
    return Desk(tmp_path)


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("read_file", {"path": "a.txt"}),
        ("grep", {"regex": "token"}),
        ("run_command", {"command": "cat a.txt; exit 1"}),
        ("run_command", {"command": "head -c 20 a.txt; sleep 0.1; tail -c +21 a.txt"}),
        ("run_command", {"command": "printf Zq8-the-key | base64; printf Zq8-the-key"}),
    ],
)  # fmt: skip
async def test_no_answer_has_the_key(desk: Desk, name: str, args: Mapping[str, object]) -> None:
    result = await desk.call(name, **args)
    assert MARK in result.output
    assert KEY not in f"{result}{desk.live}"


async def test_edit_beside_key_neither_shows_nor_changes_it(desk: Desk) -> None:
    await desk.call("read_file", path="a.txt")
    result = await desk.call("edit", file_path="a.txt", old_string="one", new_string="two")
    assert result.ok and MARK in result.metadata["diff"] and KEY not in str(result)
    assert desk.file.read_text() == FILE.replace("one", "two")


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("write_file", {"path": "a.txt", "content": f"token = '{MARK}'"}),
        ("write_file", {"path": "b.txt", "content": "x [secret: private key]"}),
        ("edit", {"file_path": "a.txt", "old_string": "one", "new_string": f"one {MARK}"}),
        ("edit", {"file_path": "a.txt", "edits": [{"old_string": "one", "new_string": MARK}]}),
        ("edit", {"file_path": "a.txt", "old_string": f"token = '{MARK}'", "new_string": ""}),
        ("replace_in_file", {"path": "a.txt",
         "diff": f"<<<<<<< SEARCH\none\n=======\n{MARK}\n>>>>>>> REPLACE"}),
        ("apply_patch", {"patch": f"*** Begin Patch\n*** Add File: b.txt\n+{MARK}\n*** End Patch"}),
    ],
)  # fmt: skip
async def test_a_mark_never_enters_a_file(
    desk: Desk, name: str, args: Mapping[str, object]
) -> None:
    await desk.call("read_file", path="a.txt")
    result = await desk.call(name, **args)
    assert "stands where a secret was hidden" in result.error
    assert (desk.file.read_text(), (desk.root / "b.txt").exists()) == (FILE, False)


async def test_a_text_about_marks_can_be_changed(desk: Desk) -> None:
    (desk.root / "docs.md").write_text(f"A key is shown as `{MARK}`.\n")
    await desk.call("read_file", path="docs.md")
    new = f"shown so: `{MARK}`"
    result = await desk.call(
        "edit", file_path="docs.md", old_string=f"shown as `{MARK}`", new_string=new
    )
    assert result.ok, result
    assert (desk.root / "docs.md").read_text() == f"A key is {new}.\n"
