"""Readers of reports never raise, whatever a program wrote."""

import json
from pathlib import Path

from cart_projects import RECORDINGS
from hypothesis import given
from hypothesis import strategies as st

from maxagent.tools.testing.reports.go import format_go_line, read_go
from maxagent.tools.testing.reports.junit import read_junit
from maxagent.tools.testing.reports.report import TestReport
from maxagent.tools.testing.reports.script_json import format_mocha, read_jest, read_mocha
from maxagent.tools.testing.reports.summary_lines import read_cargo, read_summary, read_unittest

FOLDER = Path("/home/me/cart")
RECORDED = [file.read_text() for file in sorted(RECORDINGS.iterdir())]
LINES = sorted({line for text in RECORDED for line in text.splitlines()})
KEYS = (
    *("testResults", "assertionResults", "status", "fullName", "name", "stats", "passes"),
    *("failures", "pending", "file", "title", "fullTitle", "err", "stack"),
    *("Action", "Package", "Test", "Output"),
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda each: (
        st.lists(each, max_size=3)
        | st.dictionaries(
            st.sampled_from(KEYS),
            each,
            max_size=5,
        )
    ),
    max_leaves=20,
)


def read_all(text: str) -> list[TestReport]:
    data = text.encode(errors="surrogatepass")
    format_mocha(data)
    for line in text.splitlines():
        format_go_line(line)
    reports = [
        read_junit(data, FOLDER),
        read_jest(data, FOLDER),
        read_mocha(data, FOLDER),
        read_go(text),
        read_cargo(text),
        read_unittest(text),
        read_summary(text),
    ]
    return [report for report in reports if report is not None]


def check(reports: list[TestReport]) -> None:
    for report in reports:
        assert min(report.passed, report.failed, report.errors, report.skipped) >= 0


@given(st.text())
def test_any_text_is_read_without_error(text: str) -> None:
    check(read_all(text))


@given(st.lists(st.sampled_from(LINES), max_size=30))
def test_lines_of_reports_in_any_order_are_read(lines: list[str]) -> None:
    check(read_all("\n".join(lines)))


@given(st.sampled_from(RECORDED), st.integers(0, 9000), st.integers(0, 9000))
def test_part_of_a_report_is_read_without_error(text: str, begin: int, end: int) -> None:
    check(read_all(text[begin:end]))


@given(VALUES)
def test_any_json_is_read_without_error(value: object) -> None:
    check(read_all(json.dumps(value)))


def test_report_that_could_be_an_attack_is_not_read() -> None:
    report = b'<!DOCTYPE x [<!ENTITY a "b">]><testsuites><testcase/></testsuites>'
    assert read_junit(report, FOLDER) is None
    assert read_junit(b"<testsuites><testcase", FOLDER) is None
    green = b"<testsuites><testsuite><testcase name='a'/></testsuite></testsuites>"
    assert read_junit(green, FOLDER) == TestReport(1)
