"""An edit whose process was killed between its two marks in the journal, and then resumed."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from maxagent import Runner
from maxagent.config import paths
from maxagent.memory.journal import Journal
from maxagent.memory.snapshots.store import Snapshots
from maxagent.memory.undo.history import FileHistory

OLD, NEW = "one\ntwo\nthree\n", "one\n2\nthree\n"
READ = [{"name": "read_file", "args": {"path": name}} for name in ("b.txt", "gone.txt")]
WRITE = {"name": "write_file", "args": {"path": "b.txt", "content": NEW}}
CREATE = {"name": "write_file", "args": {"path": "new/c.txt", "content": NEW}}
EDIT = {"name": "edit", "args": {"file_path": "b.txt", "old_string": "two", "new_string": "2"}}
PATCH = {
    "name": "apply_patch",
    "args": {
        "patch": "*** Begin Patch\n*** Update File: b.txt\n@@\n one\n-two\n+2\n three\n"
        "*** Delete File: gone.txt\n*** Add File: new/c.txt\n+x\n*** End Patch\n"
    },
}


@dataclass
class Killed:
    """A thread whose last call has begun, and nothing is known of its end."""

    home: Path
    project: Path
    thread: str

    async def resume(self) -> tuple[Any, bool]:
        """The answer of that call, and whether its changes are surely the thread's."""
        async with Runner(home=self.home) as runner:
            events = [item async for item in runner.resume(self.thread)]
        assert events[-1].type == "completion"
        (result,) = [event for event in events if event.type == "tool_result"]
        last = FileHistory(paths.locate_database(self.home)).list_entries(self.thread)[-1]
        return result, last.sure

    def files(self) -> dict[str, str]:
        every = sorted(path for path in self.project.rglob("*.txt"))
        return {str(path.relative_to(self.project)): path.read_text() for path in every}


async def killed(tmp_path: Path, call: dict, made: dict | None = None) -> Killed:
    """Kill it once the call has begun; or once the history has what it has `made`."""
    home, project = tmp_path / "home", tmp_path / "project"
    project.mkdir()
    (project / "b.txt").write_text(OLD)
    (project / "gone.txt").write_text("old\n")
    first = {"name": "write_file", "args": {"path": "a.txt", "content": "x\n"}}
    turns = [{"tool_calls": READ}, {"tool_calls": [first, call]}, {"text": "done"}]
    script = tmp_path / "scenario.json"
    script.write_text(json.dumps({"architect": [{"text": "SMALL"}], "coder": turns}))
    options = {"model": f"scripted/{script}", "mode": "auto", "skip_tests": True, "apply": True}
    ids = list[str]()
    async with Runner(home=home) as runner:
        async for event in runner.task("write", folder=project, options=options):
            if event.type == "tool_call":
                ids.append(event.id)
            if event.type == "tool_result" and event.tool == "write_file":
                runner.stop()
    thread, database = event.thread_id, paths.locate_database(home)
    history, journal = FileHistory(database), Journal(database)
    before = history.list_entries(thread)[-1].after
    journal.begin_call(thread, ids[-1], call["name"])
    journal.close()
    history.begin_entry(thread, ids[-1], "tool", before=before, turn=1, tool=call["name"])
    if made:
        make(project, made)
        snapshots = Snapshots(project, home / "data" / "snapshots", [])
        after = await snapshots.take([*made])
        changes = [c for c in snapshots.read_changes(before, after) if c.path in made]
        history.finish_entry(thread, ids[-1], after=after, changes=changes)
    return Killed(home, project, thread)


def make(project: Path, files: dict[str, str | None]) -> None:
    for name, content in files.items():
        path = project / name
        path.parent.mkdir(exist_ok=True)
        if content is None:
            path.unlink()
        else:
            path.write_text(content)


PATCHED = {"b.txt": NEW, "gone.txt": None, "new/c.txt": "x\n"}


@pytest.mark.parametrize(
    ("call", "made"),
    [
        (WRITE, {"b.txt": NEW}),
        (EDIT, {"b.txt": NEW}),
        (CREATE, {"new/c.txt": NEW}),
        (PATCH, PATCHED),
    ],
)
@pytest.mark.parametrize("is_made", [True, False])
async def test_files_decide_what_became_of_an_edit(
    call: dict, made: dict[str, str | None], is_made: bool, tmp_path: Path
) -> None:
    thread = await killed(tmp_path, call)
    if is_made:
        make(thread.project, made)
    result, sure = await thread.resume()
    assert (result.ok, result.error, sure) == (True, "", True)
    assert set(result.metadata["paths"]) == {*made}
    files = {"a.txt": "x\n", "b.txt": OLD, "gone.txt": "old\n", **made}
    assert thread.files() == {name: text for name, text in files.items() if text is not None}


RECORDED = [
    (WRITE, {"b.txt": NEW}),
    (EDIT, {"b.txt": NEW}),
    (CREATE, {"new/c.txt": NEW}),
    (PATCH, PATCHED),
]


@pytest.mark.parametrize(("call", "made"), RECORDED)
async def test_a_recorded_edit_is_known(
    call: dict, made: dict[str, str | None], tmp_path: Path
) -> None:
    thread = await killed(tmp_path, call, made)
    before = thread.files()
    result, sure = await thread.resume()
    assert (result.ok, result.error, sure) == (True, "", True)
    assert set(result.metadata["paths"]) == {*made}
    assert thread.files() == before


@pytest.mark.parametrize(("call", "made"), RECORDED)
async def test_a_restored_edit_is_unknown(
    call: dict, made: dict[str, str | None], tmp_path: Path
) -> None:
    thread = await killed(tmp_path, call, made)
    before = {"b.txt": OLD, "gone.txt": "old\n", "new/c.txt": None}
    make(thread.project, {name: before[name] for name in made})
    files = thread.files()
    result, _ = await thread.resume()
    assert result.error.startswith("Outcome unknown")
    assert thread.files() == files


@pytest.mark.parametrize(
    ("call", "made"),
    [
        (WRITE, {"b.txt": NEW + "mine\n"}),
        (EDIT, {"b.txt": "other\n"}),
        (EDIT, {"b.txt": None}),
        (CREATE, {"new/c.txt": "half"}),
        (PATCH, {"b.txt": NEW}),
    ],
)
async def test_other_contents_leave_the_outcome_unknown(
    call: dict, made: dict[str, str | None], tmp_path: Path
) -> None:
    thread = await killed(tmp_path, call)
    make(thread.project, made)
    before = thread.files()
    result, sure = await thread.resume()
    assert result.error.startswith("Outcome unknown")
    assert (thread.files(), sure) == (before, False)
