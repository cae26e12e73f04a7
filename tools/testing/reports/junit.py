"""JUnit XML, as pytest and Vitest write it."""

import xml.etree.ElementTree as ElementTree
from pathlib import Path

from .report import TestReport, TestState, build_report

_STATES: dict[str, TestState] = {"failure": "failed", "error": "error", "skipped": "skipped"}


def read_junit(data: bytes, folder: Path) -> TestReport | None:
    """Return the report of a run in `folder`; None if it is damaged or could be an attack."""
    try:
        # entities can blow up a small file; no framework writes any
        root = None if b"<!DOCTYPE" in data else ElementTree.fromstring(data)
    except (ElementTree.ParseError, ValueError, LookupError):
        return None
    if root is None:
        return None
    cases = root.iter("testcase")
    return build_report((_build_name(case, folder), _find_state(case)) for case in cases)


def _build_name(case: ElementTree.Element, folder: Path) -> str:
    """Return the name by which the framework itself runs this test."""
    group, name, file = (case.get(key, "") for key in ("classname", "name", "file"))
    if file and group != file:
        return _build_node_id(file, group, name, folder)
    return name if not group or _is_file(case) else f"{group}::{name}"


def _build_node_id(file: str, group: str, name: str, folder: Path) -> str:
    """Return pytest's node ID: `file` is where the test is written, `group` has module and class.

    A test that a class inherits is written in another file than the class.
    """
    module = _to_module(file)
    if not group and name == module:
        return file  # it cannot be loaded
    _, separator, classes = f".{group}.".partition(f".{module}.")
    if not separator:
        file, classes = _split_group(group, folder)
    return "::".join([file, *filter(None, classes.split(".")), name])


def _split_group(group: str, folder: Path) -> tuple[str, str]:
    """Return the file of a class and the class; the group as it is if there is no such file."""
    parts = group.split(".")
    for count in range(len(parts), 0, -1):
        file = f"{'/'.join(parts[:count])}.py"
        if (folder / file).is_file():
            return file, ".".join(parts[count:])
    return group, ""


def _to_module(file: str) -> str:
    return file.removesuffix(".py").replace("/", ".")


def _is_file(case: ElementTree.Element) -> bool:
    """Return whether it is a file that Vitest cannot load: a test with the file's name."""
    return case.get("classname") == case.get("name") and "." in case.get("name", "")


def _find_state(case: ElementTree.Element) -> TestState:
    kinds = {child.tag for child in case}
    states: list[TestState] = [_STATES[kind] for kind in _STATES if kind in kinds]
    if not states:
        return "passed"
    return "error" if states[0] == "failed" and _is_file(case) else states[0]
