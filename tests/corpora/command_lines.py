"""The corpora of command lines: read from their tables, judged in a small project, reported.

`make corpus` runs this file: counts by verdict, and what one judgement costs.
"""

import os
import re
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from maxagent.tools.shell.analysis import CommandAnalysis
from maxagent.tools.shell.analyzer import analyze_command
from maxagent.tools.workspace import Workspace

TABLES = sorted(Path(__file__).parent.glob("commands*.txt"))
HOME = "/home/somebody"
"""Whose home the lines speak of, wherever they are judged."""
_SIGNS = {"␤": "\n", "␍": "\r", "␀": "\0"}


@dataclass(frozen=True)
class Case:
    """One line and what must be said of it."""

    line: str
    verdict: str
    rule: str
    lesson: str


def cases(table: Path) -> Iterator[Case]:
    """The cases of a table, in order."""
    verdict = rule = lesson = ""
    for row in table.read_text(encoding="utf-8").splitlines():
        if heading := re.fullmatch(r"== (\w+) ?(\w*): (.*)", row):
            verdict, rule, lesson = heading.groups()
        elif row and not (row.startswith("# ") and not verdict):
            yield Case(_spelled(row), verdict, rule, lesson)


def project(folder: Path) -> Workspace:
    """The small project that the lines speak of."""
    root = folder / "project"
    (root / "sub").mkdir(parents=True)
    (root / ".git" / "hooks").mkdir(parents=True)
    (root / ".git" / "config").touch()
    (root / ".env").write_text("SECRET=1")
    (root / "README.md").touch()
    (root / "AGENTS.md").touch()
    (root / "sub" / "link").symlink_to("../.env")
    (root / "sub" / "same").hardlink_to(root / ".env")
    deep = root / "sub" / "deep"
    (deep / "guide" / ".github" / "workflows").mkdir(parents=True)
    (deep / "guide" / "AGENTS.md").touch()
    (deep / "link_protected").symlink_to("../../AGENTS.md")
    (deep / "link_hooks").symlink_to("../../.git/hooks")
    (deep / "link_out").symlink_to("/opt/elsewhere/out.txt")
    (deep / "link_folder").symlink_to("/opt")
    return Workspace(root, own=Path(HOME) / ".llc")


def judged(case: Case, workspace: Workspace) -> CommandAnalysis:
    """What the judge says of a case."""
    return analyze_command(case.line.replace("@ROOT@", str(workspace.root)), ".", workspace)


def _spelled(row: str) -> str:
    line = re.sub("[␤␍␀]", lambda sign: _SIGNS[sign[0]], row)
    return re.sub(r"<U\+([0-9A-F]{4})>", lambda sign: chr(int(sign[1], 16)), line)


def main() -> int:
    """Print the counts and the cost; 1 when anything is judged otherwise than it must be."""
    every = [case for table in TABLES for case in cases(table)]
    os.environ["HOME"] = HOME
    with tempfile.TemporaryDirectory() as folder:
        workspace, wrong, costs = project(Path(folder)), 0, list[float]()
        for case in every:
            judged(case, workspace)
            thread_time = time.thread_time()
            judgement = judged(case, workspace)
            costs.append((time.thread_time() - thread_time) * 1000)
            if (judgement.verdict or "ordinary") != case.verdict:
                wrong += 1
                print(f"{case.verdict} expected, {judgement.verdict} found: {case.line!r}")
    counts = Counter(case.verdict for case in every)
    print(", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items())))
    print(f"{len(every)} lines, {wrong} judged otherwise")
    print(f"{statistics.median(costs):.2f} ms of CPU at the median, {max(costs):.1f} at most")
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main())
