import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from maxagent import Runner, ThreadBusyError, UsageError


def write(path: str, content: str) -> dict[str, Any]:
    return {"tool_calls": [{"name": "write_file", "args": {"path": path, "content": content}}]}


def read(path: str) -> dict[str, Any]:
    return {"tool_calls": [{"name": "read_file", "args": {"path": path}}]}


@pytest.fixture
async def changed_thread(tmp_path: Path) -> tuple[Path, str]:
    """A thread that wrote a file, and then another one."""
    (tmp_path / "project").mkdir()
    script = tmp_path / "script.json"
    script.write_text(json.dumps([write("a.txt", "a\n"), write("b.txt", "b\n"), {"text": "Done."}]))
    options: Any = {"model": f"scripted/{script}", "mode": "auto"}
    async with Runner(home=tmp_path / "home") as runner:
        process = runner.chat("Go.", folder=tmp_path / "project", options=options)
        events = [event async for event in process]
    return tmp_path, events[0].thread_id


async def test_changes_and_checkpoints_are_reported(changed_thread: tuple[Path, str]) -> None:
    folder, thread = changed_thread
    async with Runner(home=folder / "home") as runner:
        changes = await runner.changes(thread)
        steps = runner.checkpoints(thread)
    assert [(item.path, item.kind) for item in changes.files] == [
        ("a.txt", "added"),
        ("b.txt", "added"),
    ]
    assert "+++ b/b.txt" in changes.diff
    assert [step.files for step in steps] == [(), ("a.txt",), ("b.txt",), ()]


async def test_uncommitted_work_is_distinguished(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    for name in ("clean.txt", "mine.txt"):
        (project / name).write_text("one\n")
    git = ("git", "-c", "user.name=A", "-c", "user.email=a@b.example")
    for text in (("init", "-q"), ("add", "."), ("commit", "-qm", "x")):
        subprocess.run([*git, *text], cwd=project, check=True)
    (project / "mine.txt").write_text("one\nmine\n")
    (project / "new.txt").write_text("mine\n")
    reads = [read(name) for name in ("clean.txt", "mine.txt", "new.txt")]
    writes = [write(name, "two\n") for name in ("clean.txt", "mine.txt", "new.txt", "made.txt")]
    script = tmp_path / "script.json"
    script.write_text(json.dumps([*reads, *writes, {"text": "Done."}]))
    options: Any = {"model": f"scripted/{script}", "mode": "auto"}
    async with Runner(home=tmp_path / "home") as runner:
        events = [event async for event in runner.chat("Go.", folder=project, options=options)]
        changes = await runner.changes(events[0].thread_id)
        assert sorted(changes.uncommitted_before) == ["mine.txt", "new.txt"]
        subprocess.run([*git, "commit", "-qam", "y"], cwd=project, check=True)
        later = await runner.changes(events[0].thread_id)
    assert later.uncommitted_before == ("new.txt",)


async def test_rollback_is_planned_then_done(changed_thread: tuple[Path, str]) -> None:
    folder, thread = changed_thread
    async with Runner(home=folder / "home") as runner:
        async with runner.rollback(thread, 1) as plan:
            assert (plan.paths, list(plan.conflicts)) == (("b.txt",), [])
            assert (folder / "project" / "b.txt").exists()
            with pytest.raises(ThreadBusyError):
                async with runner.rollback(thread, 1):
                    pass
        assert (folder / "project" / "b.txt").exists()
        async with runner.rollback(thread, 1) as plan:
            restored = await plan.apply()
        steps = runner.checkpoints(thread)
    assert restored and restored.paths == ("b.txt",)
    assert sorted(file.name for file in (folder / "project").iterdir()) == ["a.txt"]
    assert [step.number for step in steps] == [0, 1]


async def test_only_files_or_only_talk_go_back(changed_thread: tuple[Path, str]) -> None:
    folder, thread = changed_thread
    async with Runner(home=folder / "home") as runner:
        async with runner.rollback(thread, 1, files=False) as plan:
            await plan.apply()
        assert (folder / "project" / "b.txt").exists()
        assert len(runner.checkpoints(thread)) == 2


async def test_a_wrong_step_is_an_error(changed_thread: tuple[Path, str]) -> None:
    folder, thread = changed_thread
    async with Runner(home=folder / "home") as runner:
        with pytest.raises(UsageError, match="has no step 9"):
            async with runner.rollback(thread, 9):
                pass
