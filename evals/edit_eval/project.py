"""A project folder and a door to the tools: in this process, or `mcode tools call --stdin`."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter, process_time
from typing import Any, Protocol

from maxagent.cli.execution.tool_session import ToolSession
from maxagent.config.settings.loader import LoadedSettings
from maxagent.config.settings.schema import SecuritySection, Settings

AUTO = LoadedSettings(Settings(security=SecuritySection(mode="auto")), {})


@dataclass(frozen=True)
class Answer:
    """What a tool answered."""

    error: str
    output: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    cpu: float = 0.0
    """Seconds of this process's processor time, all threads; 0 when another process worked."""

    @property
    def applied(self) -> bool:
        """Whether the tool did something."""
        return not self.error

    @property
    def crashed(self) -> bool:
        """Whether it is no refusal but a fault of ours."""
        return self.error.startswith("internal error")


class Door(Protocol):
    """Where calls go in; every door remembers which files were read through it."""

    folder: Path

    def call(self, tool: str, args: Mapping[str, Any]) -> Answer: ...

    def close(self) -> None: ...


class InProcess:
    """A `ToolSession`, as the command line makes one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        outputs = folder.with_name(f"{folder.name}-outputs")
        outputs.mkdir(parents=True, exist_ok=True)
        folder.mkdir(parents=True, exist_ok=True)
        self._session = ToolSession(folder, AUTO, outputs)
        self._loop = asyncio.Runner()

    def call(self, tool: str, args: Mapping[str, Any]) -> Answer:
        """One call, by the same way as a line of `mcode tools call --stdin`."""
        start, cpu = perf_counter(), process_time()
        reply = self._loop.run(self._session.call_tool(tool, args, lambda *asked: None))
        spent = perf_counter() - start, process_time() - cpu
        return Answer(reply.error, reply.output, reply.metadata, *spent)

    def close(self) -> None:
        """End the loop and its threads."""
        self._loop.close()


class OwnProcess:
    """A running `mcode tools call --stdin --mode auto`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        home = folder.with_name(f"{folder.name}-home")
        for one in (folder, home):
            one.mkdir(parents=True, exist_ok=True)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "maxagent", "tools", "call", "--stdin", "--mode", "auto"],
            cwd=folder,
            env={**os.environ, "HOME": str(home), "MAXAGENT_HOME": str(home / "data")},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def call(self, tool: str, args: Mapping[str, Any]) -> Answer:
        """One line in, one line out."""
        asked, answers = self._process.stdin, self._process.stdout
        assert asked and answers
        start = perf_counter()
        asked.write(json.dumps({"tool": tool, "args": args}).encode() + b"\n")
        asked.flush()
        reply = json.loads(answers.readline())
        seconds = perf_counter() - start
        error = reply["error"] or ("" if reply["ok"] else "refused without a word")
        return Answer(error, reply["output"], reply["metadata"], seconds)

    def close(self) -> None:
        """Close its input and wait for its end."""
        self._process.communicate()


def write(folder: Path, files: Mapping[str, bytes | None]) -> None:
    """Put files there as they shall be; None removes one."""
    for name, content in files.items():
        path = folder / name
        if content is None:
            path.unlink(missing_ok=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)


def all_files(folder: Path) -> dict[str, bytes]:
    """Every file below a folder that is no link, by its relative path."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink()
    }
