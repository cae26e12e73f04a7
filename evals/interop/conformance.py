"""MCP's conformance suite for clients, run against MaxAgent's own client."""

import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from mcp_servers import SCOPE, find_node

CLIENT = Path(__file__).with_name("conformance_client.py")
SECONDS = 120
# Revisions under which a scenario runs, by what the suite's list says
_LINE = re.compile(r"^\s+- (\S+) \[([\w.,-]+)\]$", re.MULTILINE)
_PASSED = re.compile(r"Passed: (\d+)/(\d+), (\d+) failed, (\d+) warnings")
_FAILURE = re.compile(r"^\s+- (.+)$", re.MULTILINE)
NO_CONCERN: Mapping[str, str] = {
    "auth/client-credentials-jwt": "logins without a user are no part of a coding agent",
    "auth/client-credentials-basic": "logins without a user are no part of a coding agent",
    "auth/enterprise-managed-authorization": "an extension for companies' own identity providers",
    "auth/dpop": "an extension; tokens are bearer tokens",
    "auth/dpop-nonce": "an extension; tokens are bearer tokens",
    "auth/wif-jwt-bearer": "an extension for workloads without a user",
    "sep-2640-client-no-prefetch": "an extension: skills over MCP",
    "sep-2640-client-verify-digest": "an extension: skills over MCP",
    "sep-2640-client-verify-size": "an extension: skills over MCP",
    "sep-2640-client-verify-frontmatter": "an extension: skills over MCP",
}


@dataclass(frozen=True)
class ScenarioResult:
    """How one scenario ended, under one revision of the protocol."""

    scenario: str
    revision: str
    passed: int = 0
    checks: int = 0
    warnings: int = 0
    fault: str = ""

    @property
    def ok(self) -> bool:
        return not self.fault


def run_suite(modules: Path, only: str = "") -> Sequence[ScenarioResult]:
    """Run each scenario that concerns us under each of its revisions."""
    runs = [
        (scenario, revision)
        for scenario, revisions in list_scenarios(modules)
        for revision in revisions
        if scenario not in NO_CONCERN and only in scenario
    ]
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(lambda run: run_scenario(modules, *run), runs))


def list_scenarios(modules: Path) -> Sequence[tuple[str, Sequence[str]]]:
    """Return the suite's scenarios for clients, with the revisions they belong to."""
    shown = subprocess.run(_suite(modules, "list", "--client"), capture_output=True, text=True)
    return [(name, revisions.split(",")) for name, revisions in _LINE.findall(shown.stdout)]


def run_scenario(modules: Path, scenario: str, revision: str) -> ScenarioResult:
    """Run one scenario."""
    client = f"{sys.executable} {CLIENT}"
    command = _suite(modules, "client", "--command", client, "--scenario", scenario)
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    try:
        ended = subprocess.run(
            [*command, "--spec-version", revision],
            capture_output=True,
            text=True,
            timeout=SECONDS,
            env=environ,
        )
    except subprocess.TimeoutExpired:
        return ScenarioResult(scenario, revision, fault=f"no end within {SECONDS} s")
    output = ended.stdout + ended.stderr
    counts = _PASSED.search(output)
    if not counts:
        return ScenarioResult(scenario, revision, fault=output.strip()[-200:] or "no result")
    passed, checks, _, warnings = map(int, counts.groups())
    faults = _FAILURE.findall(output.partition("Failed Checks:")[2])
    fault = "; ".join(faults) if "OVERALL: PASSED" not in output else ""
    if "OVERALL: PASSED" not in output and not fault:
        fault = "the client ended with an error"
    return ScenarioResult(scenario, revision, passed, checks, warnings, fault[:300])


def _suite(modules: Path, *arguments: str) -> list[str]:
    main_file = modules / SCOPE / "conformance" / "dist" / "index.js"
    return [find_node(modules), str(main_file), *arguments]
