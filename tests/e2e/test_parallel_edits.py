"""Edits at the same time all land: of one file and of many, of one process and of two."""

import asyncio
import json
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from maxagent.cli.execution.tool_session import ToolSession
from maxagent.config.settings.loader import LoadedSettings
from maxagent.config.settings.schema import SecuritySection, Settings
from maxagent.tools.builtin.files.edit import edit
from maxagent.tools.filesystem.file_access import hash_content
from maxagent.tools.runtime.invoke import invoke
from maxagent.tools.tool_run import ToolRun
from maxagent.tools.workspace import Workspace

AUTO = LoadedSettings(Settings(security=SecuritySection(mode="auto")), {})

EIGHT = range(8)
ROUNDS = 20


def lines(mark: str) -> str:
    return "".join(f"{mark} {number} {step}\n" for number in EIGHT for step in range(ROUNDS))


def pair(number: int, step: int) -> dict[str, str]:
    return {"old_string": f"old {number} {step}\n", "new_string": f"new {number} {step}\n"}


@pytest.fixture
def session(tmp_path: Path) -> ToolSession:
    (tmp_path / "project").mkdir()
    return ToolSession(tmp_path / "project", AUTO, tmp_path / "outputs")


async def called(session: ToolSession, tool: str, **args: str) -> None:
    reply = await session.call_tool(tool, args, lambda *_: False)
    assert not reply.error


@pytest.mark.parametrize("names", [["one"] * 8, [f"file {number}" for number in EIGHT]])
async def test_eight_parallel_edits_all_land(
    session: ToolSession, tmp_path: Path, names: list[str]
) -> None:
    for name in set(names):
        (tmp_path / "project" / name).write_text(lines("old"))
        await called(session, "read_file", path=name)

    async def work(number: int) -> None:
        for step in range(ROUNDS):
            await called(session, "edit", file_path=names[number], **pair(number, step))

    await asyncio.gather(*map(work, EIGHT))
    for name in set(names):
        changed = [number for number in EIGHT if names[number] == name]
        text = (tmp_path / "project" / name).read_text().splitlines()
        new = [line for line in text if line.startswith("new ")]
        assert len(text) == 8 * ROUNDS and len(new) == len(changed) * ROUNDS
        assert {int(line.split()[1]) for line in new} == set(changed)


async def test_parallel_edits_of_same_content_are_all_applied(tmp_path: Path) -> None:
    path = tmp_path / "one"
    path.write_text(lines("old"))
    seen = {"one": hash_content(path.read_bytes())}
    run = ToolRun(Workspace(tmp_path), "c", tmp_path / "outputs", seen=seen)
    results = await asyncio.gather(
        *(invoke(edit, {"file_path": "one", **pair(number, 0)}, run) for number in EIGHT)
    )
    assert [result.error for result in results] == [""] * 8
    assert path.read_text().count("new") == 8


def test_two_processes_lose_no_edit_of_each_other(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "one").write_text(lines("old"))
    ready = threading.Barrier(2)
    failed: list[str] = []

    def work(number: int) -> None:
        command = [sys.executable, "-m", "maxagent", "tools", "call", "--stdin", "--mode", "auto"]
        environ = {"PATH": "/usr/bin:/bin", "MAXAGENT_HOME": str(tmp_path / f"home{number}")}
        with subprocess.Popen(
            command, cwd=project, env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as process:
            assert process.stdin and process.stdout

            def call(tool: str, **args: str) -> None:
                process.stdin.write(json.dumps({"tool": tool, "args": args}).encode() + b"\n")
                process.stdin.flush()
                failed.extend(filter(None, [json.loads(process.stdout.readline())["error"]]))

            call("read_file", path="one")
            ready.wait(60)
            for step in range(ROUNDS):
                call("edit", file_path="one", **pair(number, step))
            process.stdin.close()

    threads = [threading.Thread(target=work, args=[number]) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert (project / "one").read_text().count("new") == 2 * ROUNDS
