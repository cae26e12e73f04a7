import json
from contextlib import closing
from pathlib import Path

from confinement import needs_bubblewrap

from maxagent import Runner, trust
from maxagent.config import paths
from maxagent.memory.database.connection import connect

WRITES = [
    {"name": "write_file", "args": {"path": name, "content": "x\n"}} for name in ("a.txt", "b.txt")
]
TURNS = {"architect": [{"text": "SMALL"}], "coder": [{"tool_calls": WRITES}, {"text": "done"}]}


async def test_removed_tool_is_answered_and_thread_continues(tmp_path: Path):
    home, project, script = tmp_path / "home", tmp_path / "project", tmp_path / "scenario.json"
    project.mkdir()
    script.write_text(json.dumps(TURNS))
    options = {"model": f"scripted/{script}", "skip_tests": True, "apply": True}
    async with Runner(home=home) as runner:
        async for event in runner.task("write", folder=project, options=options):
            if event.type == "tool_result":
                runner.stop()
    assert event.type == "interrupted"
    (project / ".llc.yaml").write_text("tools: {disabled: [write_file]}\n")
    trust(project, tmp_path / "home")
    async with Runner(home=home) as runner:
        events = [item async for item in runner.resume(event.thread_id)]
    assert [
        "no tool `write_file`" in item.error for item in events if item.type == "tool_result"
    ] == [True]
    assert events[-1].type == "completion"
    assert [(project / name).exists() for name in ("a.txt", "b.txt")] == [True, False]


async def test_post_edit_command_changes_are_recorded_as_own(
    tmp_path: Path,
):
    project, script = tmp_path / "project", tmp_path / "scenario.json"
    project.mkdir()
    (project / ".llc.yaml").write_text("after_edit: {a.txt: ['cp {file} copy.txt']}\n")
    trust(project, tmp_path / "home")
    script.write_text(json.dumps(TURNS))
    options = {"model": f"scripted/{script}", "mode": "auto", "skip_tests": True, "apply": True}
    async with Runner(home=tmp_path / "home") as runner:
        events = [item async for item in runner.task("write", folder=project, options=options)]
    files = [file["path"] for file in events[-1].files]
    assert files == ["a.txt", "b.txt", "copy.txt"]
    by = {file["path"]: file["by"] for e in events if e.type == "files_changed" for file in e.files}
    assert by == {"a.txt": "shell", "copy.txt": "shell", "b.txt": "tool"}


@needs_bubblewrap
async def test_a_confined_read_leaves_no_history(tmp_path: Path):
    project, script = tmp_path / "project", tmp_path / "scenario.json"
    project.mkdir()
    calls = [
        {"name": "run_command", "args": {"command": command}}
        for command in ("cat a.txt", "touch b.txt")
    ]
    coder = [*({"tool_calls": [call]} for call in calls), {"text": "done"}]
    script.write_text(json.dumps({**TURNS, "coder": coder}))
    options = {"model": f"scripted/{script}", "mode": "auto", "skip_tests": True, "apply": True}
    async with Runner(home=tmp_path / "home") as runner:
        events = [item async for item in runner.task("look", folder=project, options=options)]
    with closing(connect(paths.locate_database(tmp_path / "home"))) as connection:
        tools = connection.execute("SELECT tool, state FROM file_history ORDER BY number")
        assert [tuple(row) for row in tools] == [("run_command", "done")]
    assert [file["path"] for file in events[-1].files] == ["b.txt"]
