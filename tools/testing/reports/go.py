"""The lines of `go test -json`, mixed with those of the compiler."""

import json
from collections.abc import Mapping

from .report import TestReport, TestState, build_report, read_table, read_text

_STATES: Mapping[str, TestState] = {"pass": "passed", "fail": "failed", "skip": "skipped"}
_BROKEN: TestState = "error"


def parse_go_line(line: str) -> Mapping[str, object]:
    """Return the event in a line; empty if the line is plain output."""
    if not line.startswith("{"):
        return {}
    try:
        event = read_table(json.loads(line))
    except (ValueError, RecursionError):
        return {}
    return event if read_text(event.get("Action")) else {}


def format_go_line(line: str) -> str:
    """Return a line as `go test` without `-json` would print it; passing tests are left out."""
    event = parse_go_line(line)
    if not event:
        return line
    output = event.get("Output")
    if not isinstance(output, str):
        return ""
    is_noise = output.startswith(("=== ", "--- PASS", "PASS\n")) or "    --- PASS" in output
    return "" if is_noise else output


def read_go(output: str) -> TestReport | None:
    """Return the report; None if no line is an event.

    A test with subtests counts only if it failed by itself. A package that failed without a test of
    its own could not be built, or ended early.
    """
    tests: dict[tuple[str, str], TestState] = {}
    packages: dict[str, bool] = {}
    for line in output.splitlines():
        event = parse_go_line(line)
        package, test = read_text(event.get("Package")), read_text(event.get("Test"))
        action = read_text(event.get("Action"))
        if package and test:
            packages.setdefault(package, True)
            if action == "run":
                tests[package, test] = "error"  # until it ends: the program may end before it
            elif action in _STATES:
                tests[package, test] = _STATES[action]
        elif package and action in _STATES:
            packages[package] = action != "fail"
        elif not event and (broken := _find_broken_package(line)):
            packages[broken] = False
    return _build_report(tests, packages) if packages else None


def _find_broken_package(line: str) -> str:
    """Return the package of a line such as `FAIL\texample.com/cart [build failed]`."""
    words = line.split()
    return words[1] if len(words) > 2 and words[0] == "FAIL" and words[2] == "[build" else ""


def _build_report(
    tests: Mapping[tuple[str, str], TestState], packages: Mapping[str, bool]
) -> TestReport:
    with_subtests = {(package, name.rpartition("/")[0]) for package, name in tests if "/" in name}
    failed_below = {
        (package, name.rpartition("/")[0])
        for (package, name), state in tests.items()
        if "/" in name and state != "passed"
    }
    counted: dict[tuple[str, str], TestState] = {
        key: state
        for key, state in tests.items()
        if key not in with_subtests or (state == "failed" and key not in failed_below)
    }
    red = {package for (package, _), state in counted.items() if state in ("failed", "error")}
    broken = [package for package, passed in packages.items() if not passed and package not in red]
    results: list[tuple[str, TestState]]
    results = [(f"{package}.{name}", state) for (package, name), state in counted.items()]
    return build_report([*results, *((package, _BROKEN) for package in broken)])
