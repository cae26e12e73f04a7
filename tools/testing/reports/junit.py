"""JUnit XML, as pytest and Vitest write it."""

import xml.etree.ElementTree as ElementTree

from .report import TestReport, TestState, build_report

_STATES: dict[str, TestState] = {"failure": "failed", "error": "error", "skipped": "skipped"}


def read_junit(data: bytes) -> TestReport | None:
    """Return the report; None if it is damaged or could be an attack."""
    try:
        # entities can blow up a small file; no framework writes any
        root = None if b"<!DOCTYPE" in data else ElementTree.fromstring(data)
    except (ElementTree.ParseError, ValueError, LookupError):
        return None
    if root is None:
        return None
    return build_report((_build_name(case), _find_state(case)) for case in root.iter("testcase"))


def _build_name(case: ElementTree.Element) -> str:
    group, name = case.get("classname", ""), case.get("name", "")
    return name if not group or _is_file(case) else f"{group}::{name}"


def _is_file(case: ElementTree.Element) -> bool:
    """Return whether it is a file that Vitest cannot load: a test with the file's name."""
    return case.get("classname") == case.get("name") and "." in case.get("name", "")


def _find_state(case: ElementTree.Element) -> TestState:
    kinds = {child.tag for child in case}
    states: list[TestState] = [_STATES[kind] for kind in _STATES if kind in kinds]
    if not states:
        return "passed"
    return "error" if states[0] == "failed" and _is_file(case) else states[0]
