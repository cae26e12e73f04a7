"""The part of `docs/interop.md` about MCP servers, conformance and logins."""

from collections.abc import Mapping, Sequence

from conformance import NO_CONCERN, ScenarioResult
from guarded_servers import LoginReport
from mcp_servers import DISTRIBUTIONS, PACKAGES
from mcp_threads import ThreadReport
from mcp_tour import Tour

COLUMNS = (
    "server",
    "transport",
    "protocol",
    "tools called",
    "images",
    "progress",
    "questions",
    "resources",
    "prompts",
    "faults",
)
TITLE = "## MCP servers\n"
HEAD = """\
MaxAgent's client uses these public servers, pinned and installed apart, and each tool of theirs is
called once; each resource is read, each prompt is got. This part is of {date}.
"""
CONFORMANCE = """\
### MCP's conformance suite for clients

`@modelcontextprotocol/conformance` {version} runs a client of ours: MaxAgent's connection and a
user before it who logs in where `mcode` says so (`evals/interop/conformance_client.py`). Each
scenario runs under each revision of the protocol that it belongs to: {passed} of {runs} runs pass.
"""
LOGINS = """\
### Logins

Each server wants a login; the browser consents at once. **refresh** is tried with a token that has
ended and with one that the server does not know.
"""


def render_part(
    date: str,
    tours: Sequence[Tour],
    threads: Sequence[ThreadReport],
    results: Sequence[ScenarioResult],
    logins: Sequence[LoginReport],
    missing: Mapping[str, str],
) -> str:
    """Return the part; `missing`: what this machine could not have, and why."""
    parts = [TITLE, HEAD.format(date=date), render_versions()]
    parts += [
        f"**{name} could not be had on this machine: {why}.**\n" for name, why in missing.items()
    ]
    parts += [
        render_tours(tours),
        render_threads(threads),
        render_logins(logins),
        render_results(results),
    ]
    return "\n".join(part for part in parts if part)


def render_versions() -> str:
    """Return the pinned versions, from npm and from pip."""
    pinned = {**PACKAGES, **DISTRIBUTIONS}
    return ", ".join(f"`{name}` {version}" for name, version in pinned.items()) + ".\n"


def render_tours(tours: Sequence[Tour]) -> str:
    """Return a row for each server, then what was not shown."""
    if not tours:
        return ""
    rows = [
        f"| {' | '.join(COLUMNS)} |",
        "|---" * len(COLUMNS) + "|",
    ]
    rows += [
        f"| {tour.server} | {tour.transport} | {tour.version} | {tour.called} of {tour.tools} "
        f"| {tour.images} | {tour.reports} | {tour.questions} | {tour.resources} "
        f"| {tour.prompts} | {len(tour.faults)} |"
        for tour in tours
    ]
    notes = [
        f"- {tour.server}, {tour.transport}: refused, as it must be: `{'`, `'.join(tour.refusals)}`"
        for tour in tours
        if tour.refusals
    ]
    faults = [
        f"- {tour.server}, {tour.transport}: {fault}" for tour in tours for fault in tour.faults
    ]
    return _join(rows, notes, ["What was not shown:", "", *faults] if faults else [])


def render_threads(threads: Sequence[ThreadReport]) -> str:
    """Return how many calls a scripted model made, and what was wrong."""
    if not threads:
        return ""
    counts = [f"{each.server} ({each.transport}) {each.calls}" for each in threads]
    faults = [
        f"- {each.server}, {each.transport}: {fault}" for each in threads for fault in each.faults
    ]
    head = f"In threads of `mcode chat`, a scripted model makes these calls: {', '.join(counts)}."
    return _join([head], ["What was not shown:", "", *faults] if faults else [])


def render_logins(logins: Sequence[LoginReport]) -> str:
    """Return a row for each server that wants a login."""
    if not logins:
        return ""
    things = list(dict.fromkeys(name for each in logins for name in each.shown))
    words = {None: "the server cannot", "": "yes"}
    rows = [f"| server | {' | '.join(things)} |", "|---" * (1 + len(things)) + "|"]
    for each in logins:
        cells = [words.get(each.shown.get(name), "**no**") for name in things]
        rows.append(f"| {each.server} | {' | '.join(cells)} |")
    faults = [
        f"- {each.server}, {name}: {fault}"
        for each in logins
        for name, fault in each.shown.items()
        if fault
    ]
    return LOGINS + "\n" + _join(rows, faults)


def render_results(results: Sequence[ScenarioResult]) -> str:
    """Return a row for each scenario, those that fail, and those that are not for us."""
    if not results:
        return ""
    passed = sum(result.ok for result in results)
    version = PACKAGES["@modelcontextprotocol/conformance"]
    head = CONFORMANCE.format(version=version, passed=passed, runs=len(results))
    rows = ["| scenario | revision | checks | passes |", "|---|---|---|---|"]
    rows += [
        f"| {result.scenario} | {result.revision} | {result.passed} of {result.checks} "
        f"| {'yes' if result.ok else '**no**'} |"
        for result in results
    ]
    faults = [f"- {each.scenario}, {each.revision}: {each.fault}" for each in results if each.fault]
    others = [f"- {name}: {reason}" for name, reason in NO_CONCERN.items()]
    parts = [
        rows,
        ["What fails:", "", *faults] if faults else [],
        ["Not for MaxAgent:", "", *others],
    ]
    return head + "\n" + _join(*parts)


def _join(*groups: Sequence[str]) -> str:
    return "\n\n".join("\n".join(group) for group in groups if group) + "\n"
