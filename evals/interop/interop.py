"""Try every dialect against programs that others wrote, and keep the report.

    python evals/interop/interop.py [--folder FOLDER] [--report FILE]

The programs are installed once, in FOLDER. What cannot be had on this machine is said in the
report. Exit code 1 when something was tried and not shown.
"""

import argparse
import json
import platform
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from mcp_report import TITLE
from program import KEY, Program
from programs import (
    MissingProgramError,
    install_aimock,
    install_litellm,
    read_aimock_version,
    read_litellm_version,
    run_aimock,
    run_litellm,
)
from report import Row, render_report
from scenarios import DIRECT, PROXIED, SCENARIOS, Dialect, build_fixtures, find_faults, name_message

from maxagent.models.providers import get_provider

PAGE = Path(__file__).parents[2] / "docs" / "interop.md"
AIMOCK, LITELLM = "aimock", "LiteLLM proxy"


def try_dialects(
    program: str, dialects: Sequence[Dialect], url: str, key: str, folder: Path
) -> list[Row]:
    """Play every scenario with every dialect."""
    rows: list[Row] = []
    for dialect in dialects:
        row = Row(program, dialect.name, f"{dialect.provider}/{dialect.model}")
        if dialect.lost_header:
            row.remarks["429 with retry-after"] = dialect.lost_header
        for scenario in SCENARIOS:
            place = folder / f"{program}-{dialect.provider}-{scenario}".replace(" ", "-")
            message = name_message(program, dialect, scenario)
            row.faults |= play(dialect, scenario, message, url + dialect.path, key, place)
        rows.append(row)
        print(f"{program}, {dialect.name}: {row.faults}", flush=True)
    return rows


def play(
    dialect: Dialect, scenario: str, message: str, base_url: str, key: str, folder: Path
) -> dict[str, str]:
    """Run one conversation; return what is wrong with each thing that it shows."""
    provider = get_provider(dialect.provider)
    address = {provider.list_endpoint_variables()[0]: base_url, provider.key_variables[0]: key}
    program = Program(folder, "", address, key)
    model = ["--model", f"{dialect.provider}/{dialect.model}", "--thinking", "enabled"]
    ended = program.run(
        "chat", message, *model, "--mode", "auto", "--output", "stream-json", **address
    )
    return find_faults(dialect, scenario, ended, program.project)


def write_fixtures(file: Path) -> None:
    """Write the answers to every message, for aimock."""
    fixtures = [
        fixture
        for program, dialects in ((AIMOCK, DIRECT), (LITELLM, PROXIED))
        for dialect in dialects
        for scenario in SCENARIOS
        for fixture in build_fixtures(name_message(program, dialect, scenario), scenario)
    ]
    file.write_text(json.dumps({"fixtures": fixtures}))


def try_programs(
    folder: Path, work: Path, versions: dict[str, str], missing: dict[str, str]
) -> list[Row]:
    """Try aimock, and the proxy before it; note versions and what could not be had."""
    rows: list[Row] = []
    write_fixtures(work / "fixtures.json")
    try:
        aimock = install_aimock(folder)
        versions[AIMOCK] = read_aimock_version(aimock)
        with run_aimock(aimock, work / "fixtures.json") as upstream:
            rows += try_dialects(AIMOCK, DIRECT, upstream, KEY, work)
            rows += try_proxy(folder, work, upstream, versions, missing)
    except MissingProgramError as error:
        missing[AIMOCK] = f"{error}; the {LITELLM}, which stands before it, was not tried"
    return rows


def try_proxy(
    folder: Path, work: Path, upstream: str, versions: dict[str, str], missing: dict[str, str]
) -> list[Row]:
    """Try the LiteLLM proxy, whose models are aimock's."""
    try:
        litellm = install_litellm(folder)
        versions[LITELLM] = read_litellm_version(litellm)
        with run_litellm(litellm, work, upstream) as (url, key):
            return try_dialects(LITELLM, PROXIED, url, key, work)
    except MissingProgramError as error:
        missing[LITELLM] = str(error)
        return []


def read_versions() -> dict[str, str]:
    """Return the versions of what is here already."""
    versions = {"maxagent": version("maxagent"), "Python": platform.python_version()}
    try:
        node = subprocess.run(["node", "--version"], capture_output=True, text=True)
        versions["Node"] = node.stdout.strip().removeprefix("v")
    except OSError:
        pass
    return versions


def read_last_part(page: Path) -> str:
    """Return the part that `mcp_interop.py` writes; it stays."""
    before, title, rest = page.read_text(encoding="utf-8").partition(TITLE)
    return f"\n{title}{rest}" if title else ""


def has_faults(rows: Sequence[Row], missing: Mapping[str, str]) -> bool:
    """Return whether something was tried and not shown; says aloud what is missing."""
    for name, why in missing.items():
        print(f"{name} could not be had: {why}", file=sys.stderr)
    return any(fault for row in rows for fault in row.faults.values())


def main() -> int:
    parser = argparse.ArgumentParser()
    default = Path(tempfile.gettempdir()) / "maxagent-interop"
    parser.add_argument("--folder", type=Path, default=default)
    parser.add_argument("--report", type=Path, default=PAGE)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    versions, missing = read_versions(), dict[str, str]()
    with tempfile.TemporaryDirectory() as work:
        rows = try_programs(options.folder, Path(work), versions, missing)
    date = datetime.now(UTC).date().isoformat()
    page = render_report(date, versions, rows, missing)
    options.report.write_text(page + read_last_part(options.report), encoding="utf-8")
    return has_faults(rows, missing)


if __name__ == "__main__":
    sys.exit(main())
