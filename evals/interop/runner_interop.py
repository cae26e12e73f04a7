"""Repair a project of each test framework with the real programs: a red test, then `verified`.

    python evals/interop/runner_interop.py [--folder FOLDER] [--report FILE] [--only NAME]

Jest, Vitest and Mocha are installed by npm in FOLDER; Go and Cargo are those of this machine. What
cannot be had is said in the report. Exit code 1 when something was tried and not shown.
"""

import argparse
import asyncio
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from cart_projects import PROJECTS
from programs import MissingProgramError, run_installer
from report_page import replace_part

from maxagent import Runner, trust

PAGE = Path(__file__).parents[2] / "docs" / "interop.md"
TITLE = "## Test frameworks\n"
HEAD = """\
A small project of each framework has a red test. The scripted model reports too early, sees the red
test, and repairs it; the task runs in the sandbox, if there is one. **red** and **green** are the
counts of passed, failed, errors and skipped that MaxAgent read. This part is of {date}.
"""
VERSIONS: Mapping[str, tuple[str, ...]] = {
    "pytest": (sys.executable, "-m", "pytest", "--version"),
    "unittest": (sys.executable, "--version"),
    "go": ("go", "version"),
    "cargo": ("cargo", "--version"),
}
COLUMNS = "| framework | version | command | red | green | outcome |"
COUNTS = ("passed", "failed", "errors", "skipped")


@dataclass
class RunnerReport:
    """What one framework showed."""

    framework: str
    version: str
    command: str = ""
    red: str = ""
    green: str = ""
    outcome: str = ""
    faults: list[str] = field(default_factory=list[str])


def try_framework(framework: str, folder: Path, work: Path) -> RunnerReport:
    """Repair the project; raises MissingProgramError."""
    cart, project = PROJECTS[framework], work / framework / "project"
    project.mkdir(parents=True)
    cart.write(project)
    (project / ".gitignore").write_text("node_modules/\ntarget/\n.venv/\n")
    report = RunnerReport(framework, install(framework, folder, project))
    turns = {
        "architect": [{"text": "SMALL"}],
        "coder": [{"text": "done"}, *cart.turns, {"text": "done"}],
        "tester": [{"text": "Accepted."}],
    }
    script = work / framework / "scenario.json"
    script.write_text(json.dumps(turns))
    events = asyncio.run(run_task(project, script, work / framework / "home"))
    evidence = [event for event in events if event.type == "evidence"]
    report.outcome = getattr(events[-1], "outcome", events[-1].type)
    if len(evidence) != 2:
        report.faults.append(f"{len(evidence)} test runs instead of 2")
        return report
    red, green = evidence
    report.command = green.command
    report.red, report.green = (format_counts(one) for one in evidence)
    if (red.verdict, sorted(red.failing)) != ("failed", sorted(cart.red)):
        report.faults.append(f"red: {red.reason} {red.failing} {red.tail[-300:]}")
    if {name: getattr(green, name) for name in COUNTS} != dict(cart.green):
        report.faults.append(f"green: {green.reason} {green.tail[-300:]}")
    if report.outcome != "verified":
        report.faults.append(f"the task ended {report.outcome}")
    return report


def install(framework: str, folder: Path, project: Path) -> str:
    """Give the project its framework; return its version."""
    if packages := PROJECTS[framework].packages:
        return install_packages(packages, folder / framework, project)
    if framework == "unittest":  # an environment without pytest
        run_installer([sys.executable, "-m", "venv", "--without-pip", str(project / ".venv")])
    program = VERSIONS[framework][0]
    if shutil.which(program) is None:
        raise MissingProgramError(f"there is no `{program}`")
    ran = subprocess.run(VERSIONS[framework], capture_output=True, text=True, check=True)
    return (ran.stdout or ran.stderr).strip().splitlines()[0]


def install_packages(packages: tuple[str, ...], folder: Path, project: Path) -> str:
    """Install packages with npm once, and copy them into the project."""
    for program in ("node", "npm"):
        if shutil.which(program) is None:
            raise MissingProgramError(f"there is no `{program}`")
    modules = folder / "node_modules"
    if not modules.exists():
        folder.mkdir(parents=True, exist_ok=True)
        flags = ["--no-audit", "--no-fund", "--loglevel=error"]
        run_installer(["npm", "install", "--prefix", str(folder), *flags, *packages])
    shutil.copytree(modules, project / "node_modules", symlinks=True)
    manifest = modules / packages[0] / "package.json"
    return f"{packages[0]} {json.loads(manifest.read_text(encoding='utf-8'))['version']}"


async def run_task(project: Path, script: Path, home: Path):
    """Run the task; return its events."""
    trust(project, home)
    options = {"model": f"scripted/{script}", "apply": True, "mode": "auto"}
    async with Runner(home=home) as runner:
        return [event async for event in runner.task("10 % off", folder=project, options=options)]


def format_counts(evidence: object) -> str:
    return ", ".join(str(getattr(evidence, name)) for name in COUNTS)


def render_part(date: str, reports: list[RunnerReport], missing: Mapping[str, str]) -> str:
    """Return the part of the page; `missing`: what this machine could not have, and why."""
    lines = [TITLE, HEAD.format(date=date)]
    lines += [
        f"**{name} could not be had on this machine: {why}.**\n" for name, why in missing.items()
    ]
    lines += [COLUMNS, "|---|---|---|---|---|---|"]
    for one in reports:
        cells = (f"`{one.command}`", one.red, one.green, one.outcome)
        lines.append(f"| {one.framework} | {one.version} | {' | '.join(cells)} |")
    faults = [f"- {one.framework}: {fault}" for one in reports for fault in one.faults]
    lines += ["", "What was not shown:", "", *faults] if faults else []
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "interop")
    parser.add_argument("--report", type=Path, default=PAGE)
    parser.add_argument(
        "--only", choices=[*PROJECTS], help="this framework; the page stays as it is"
    )
    options = parser.parse_args()
    reports: list[RunnerReport] = []
    missing: dict[str, str] = {}
    with tempfile.TemporaryDirectory(prefix="runners-", dir=Path.home()) as work:
        for framework in [options.only] if options.only else PROJECTS:
            try:
                reports.append(try_framework(framework, options.folder, Path(work)))
            except MissingProgramError as error:
                missing[framework] = str(error)
    part = render_part(f"{datetime.now(UTC):%Y-%m-%d}", reports, missing)
    print(part)
    if not options.only:
        replace_part(options.report, TITLE, part)
    return int(any(one.faults for one in reports))


if __name__ == "__main__":
    sys.exit(main())
