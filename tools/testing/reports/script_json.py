"""The JSON reports of Jest and Mocha."""

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from .report import TestReport, TestState, build_report, read_list, read_table, read_text

_JEST: Mapping[object, TestState] = {"passed": "passed", "failed": "failed"}


def read_jest(data: bytes, folder: Path) -> TestReport | None:
    """Return Jest's report; None if it is damaged."""
    document = _parse(data)
    if not isinstance(document.get("testResults"), list):
        return None
    return build_report(_iter_jest(document, folder))


def _iter_jest(document: Mapping[str, object], folder: Path) -> Iterator[tuple[str, TestState]]:
    for entry in read_list(document["testResults"]):
        file = read_table(entry)
        path = _shorten_path(read_text(file.get("name")), folder)
        tests = [read_table(test) for test in read_list(file.get("assertionResults"))]
        for test in tests:
            state = _JEST.get(read_text(test.get("status")), "skipped")
            yield f"{path} > {read_text(test.get('fullName'))}", state
        # a file that cannot be loaded, or a hook that fails after all tests
        if file.get("status") == "failed" and not any(
            test.get("status") == "failed" for test in tests
        ):
            yield path, "error"


def read_mocha(data: bytes, folder: Path) -> TestReport | None:
    """Return Mocha's report; None if it is damaged."""
    document = _parse(data)
    if not isinstance(document.get("stats"), dict):
        return None
    return build_report(_iter_mocha(document, folder))


def _iter_mocha(document: Mapping[str, object], folder: Path) -> Iterator[tuple[str, TestState]]:
    states: dict[str, TestState] = {"passes": "passed", "failures": "failed", "pending": "skipped"}
    for group, state in states.items():
        for entry in read_list(document.get(group)):
            test = read_table(entry)
            path = _shorten_path(read_text(test.get("file")), folder)
            title = read_text(test.get("fullTitle"))
            is_hook = state == "failed" and " hook" in read_text(test.get("title"))
            yield f"{path} > {title}", "error" if is_hook else state


def format_mocha(data: bytes) -> str:
    """Return Mocha's failures as text, since its report leaves no output."""
    parts: list[str] = []
    for entry in read_list(_parse(data).get("failures")):
        test = read_table(entry)
        error = read_table(test.get("err"))
        details = error.get("stack") or error.get("message")
        parts.append(f"{read_text(test.get('fullTitle'))}\n{details if details else ''}\n")
    return "\n".join(parts)


def _parse(data: bytes) -> Mapping[str, object]:
    """Parse an object; empty if there is none. Output before it is skipped."""
    begin = data.find(b"{")
    try:
        return read_table(json.loads(data[begin:])) if begin >= 0 else {}
    except (ValueError, RecursionError):
        return {}


def _shorten_path(path: str, folder: Path) -> str:
    """Return the path relative to the folder: it is the same in other copies of the project."""
    for root in (str(folder), os.path.realpath(folder)):
        if path.startswith(f"{root}/"):
            return path[len(root) + 1 :]
    return path
