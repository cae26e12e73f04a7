"""Tools at work while another process swaps their files and folders for links, as fast as it can.

    python evals/torture/link_race.py SECONDS [--steps]

The links lead to a secret of the project, to a hidden folder and out of the project. No byte of
what they lead to may reach an answer, and nothing there may change. `--steps` opens files as on a
system without `openat2`. Exit code 1 when there was a hole.

Programs that open files for themselves, as git and the user's own commands do, are not in the race:
only a sandbox could promise as much for them.
"""

import argparse
import asyncio
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from langchain_core.tools import BaseTool

from maxagent.tools.builtin.files.apply_patch import apply_patch
from maxagent.tools.builtin.files.edit import edit
from maxagent.tools.builtin.files.glob import glob
from maxagent.tools.builtin.files.grep import grep
from maxagent.tools.builtin.files.list_files import list_files
from maxagent.tools.builtin.files.read_file import read_file
from maxagent.tools.builtin.files.write_file import write_file
from maxagent.tools.filesystem import safe_open
from maxagent.tools.result import CallResult
from maxagent.tools.runtime.edit_preview import PreviewCall, preview_calls
from maxagent.tools.runtime.invoke import invoke
from maxagent.tools.tool_run import ToolRun
from maxagent.tools.workspace import Workspace

SECRET = "hunter2"
"""In all that must not be read, and in the names of what must not be listed."""
FILES = ["docs/a.txt", "docs/deep/a.txt", "sub/docs/a.txt", "notes.txt", "plain.txt"]
SWAPPER = Path(__file__).with_name("swapper.py")

Asked = tuple[BaseTool, Mapping[str, Any]]


class Arena:
    """A project, a folder outside of it, and the pairs of names that are swapped."""

    def __init__(self, place: Path) -> None:
        self.root, self.outside = place / "project", place / "outside"
        hidden = self.root / "secrets"
        for folder in (self.outside, hidden):
            for name in ("a.txt", f"{SECRET}.txt", f"deep/{SECRET}/a.txt"):
                _write(folder / name, f"plain {SECRET}\n")
        _write(self.root / ".env", f"KEY={SECRET}\n")
        for name in FILES:
            _write(self.root / name, "plain\n")
        links = {
            "docs": self.outside,
            "sub/docs": hidden,
            "notes.txt": self.root / ".env",
            "plain.txt": self.outside / "a.txt",
        }
        self.pairs = list[str]()
        for number, (name, target) in enumerate(links.items()):
            other = self.root / ".spare" / str(number)
            other.parent.mkdir(exist_ok=True)
            other.symlink_to(target)
            self.pairs += [str(self.root / name), str(other)]

    def beyond(self) -> dict[str, bytes]:
        """All that must stay as it is."""
        places = [self.outside, self.root / "secrets", self.root / ".env"]
        files = [file for place in places for file in (place, *place.rglob("*"))]
        return {str(file): file.read_bytes() if file.is_file() else b"" for file in files}


@dataclass
class Report:
    """What happened."""

    swaps: int = 0
    calls: Counter[str] = field(default_factory=Counter[str])
    done: Counter[str] = field(default_factory=Counter[str])
    """Calls that were not refused."""
    holes: list[str] = field(default_factory=list[str])

    def note(self, tool: str, result: CallResult) -> None:
        """Count a call, and see if it told what it must not."""
        self.calls[tool] += 1
        self.done[tool] += result.ok
        told = f"{result.output} {result.error} {dict(result.metadata)}"
        if SECRET in told:
            self.holes.append(f"{tool} told: {told[:300]}")


async def race(arena: Arena, seconds: float, least: int = 0) -> Report:
    """Let the tools work for so long, and do `least` calls, while names are swapped."""
    report, before = Report(), arena.beyond()
    swapper = subprocess.Popen(
        [sys.executable, SWAPPER, *arena.pairs], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        assert swapper.stdout and swapper.stdout.readline() == b"begun\n"
        await _work(arena, report, time.monotonic() + seconds, least)
    finally:
        report.swaps = int(swapper.communicate()[0] or 0)
    after = arena.beyond()
    changed = [name for name in before.keys() | after.keys() if before.get(name) != after.get(name)]
    report.holes += [f"changed: {name}" for name in sorted(changed)]
    return report


async def _work(arena: Arena, report: Report, until: float, least: int) -> None:
    seen: dict[str, str] = {}
    workspace = Workspace(arena.root)
    for number in count():
        for tool, args in _calls(number):
            if time.monotonic() > until and report.done.total() >= least:
                return
            run = ToolRun(workspace, "race", arena.root / ".spare/outputs", seen=seen)
            if tool is edit:
                with suppress(OSError):  # no copy can be made of what is never the same
                    (result,) = await preview_calls([PreviewCall(tool, args, seen)], workspace)
                    report.note("preview", result)
            result = await invoke(tool, args, run)
            report.note(tool.name, result)
            seen |= result.seen


def _calls(number: int) -> Iterator[Asked]:
    """One round; what looks through everything comes only now and then."""
    old, new = ("plain", "other") if number % 2 else ("other", "plain")
    for name in FILES:
        yield read_file, {"path": name}
        yield edit, {"file_path": name, "old_string": old, "new_string": new}
        yield list_files, {"path": str(Path(name).parent), "recursive": True}
    for folder in ("docs", "sub/docs", f"docs/deep/new-{number}"):
        path = f"{folder}/new-{number}.txt"
        yield write_file, {"path": path, "content": "plain\n"}
        yield apply_patch, {"patch": _patch(f"*** Update File: {path}\n*** Move to: {path}.b")}
        yield apply_patch, {"patch": _patch(f"*** Delete File: {path}.b")}
    yield grep, {"regex": "plain|other|é", "path": "docs"}
    if number % 8 == 0:
        yield glob, {"pattern": "**/*"}
        yield grep, {"regex": f"plain|{SECRET}"}


def _patch(text: str) -> str:
    return f"*** Begin Patch\n{text}\n*** End Patch\n"


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def main() -> int:
    """Race, and say what came of it."""
    wanted = argparse.ArgumentParser()
    wanted.add_argument("seconds", type=float)
    wanted.add_argument("--steps", action="store_true")
    asked = wanted.parse_args()
    if asked.steps:
        safe_open.find_kernel_open = lambda: None
    with tempfile.TemporaryDirectory() as place:
        report = asyncio.run(race(Arena(Path(place)), asked.seconds))
    print(f"{report.swaps:,} swaps, {report.calls.total():,} calls, {len(report.holes)} holes")
    for tool, calls in sorted(report.calls.items()):
        print(f"  {tool}: {calls:,} calls, {report.done[tool]:,} done")
    print("\n".join(report.holes[:20]))
    return 1 if report.holes else 0


if __name__ == "__main__":
    sys.exit(main())
