"""Reports that real frameworks wrote, recorded once from small projects."""

from pathlib import Path

import pytest
from cart_projects import PROJECTS, RECORDINGS

from maxagent.tools.testing.command import FRAMEWORKS, Framework, TestCommand
from maxagent.tools.testing.execution import read_report
from maxagent.tools.testing.reports.report import TestReport
from maxagent.tools.testing.reports.summary_lines import read_summary

HARD: dict[str, TestReport] = {
    "pytest": TestReport(0, 0, 1, 0, ("test_broken.py",)),
    "unittest": TestReport(
        1, 4, 1, 2,
        (
            "test_broken (unittest.loader._FailedTest.test_broken)",
            "test_discount (test_cart.CartTest.test_discount)",
            "test_each (test_more.MoreTest.test_each) (number=1)",
            "test_each (test_more.MoreTest.test_each) (number=2)",
            "test_repaired (test_more.MoreTest.test_repaired)",
        ),
    ),
    "jest": TestReport(
        1, 2, 1, 2,
        ("hook.test.js > reads", "broken.test.js", "cart.test.js > cart takes percent off"),
    ),
    "vitest": TestReport(
        1, 1, 1, 1, ("broken.test.mjs", "cart.test.mjs::cart > takes percent off")
    ),
    "mocha": TestReport(
        1, 1, 1, 1,
        (
            "test/cart.js > cart takes percent off",
            'test/hook.js > hook "before all" hook for "reads"',
        ),
    ),
    "go": TestReport(
        2, 3, 2, 1,
        (
            "example.com/cart.TestDiscount/none", "example.com/cart.TestDiscount/ten",
            "example.com/cart/crash.TestExit", "example.com/cart/vet.TestPanic",
            "example.com/cart/bad",
        ),
    ),
    "cargo": TestReport(
        3, 2, 1, 1,
        (
            "src/lib.rs tests::takes_percent_off", "tests/panics.rs does_not_panic",
            "tests/shop.rs",
        ),
    ),
}  # fmt: skip
HOME = Path("/home/me/cart")


def read(framework: Framework, kind: str) -> TestReport | None:
    (file,) = [file for file in RECORDINGS.glob(f"{framework}.{kind}.*") if len(file.suffixes) == 2]
    return read_report(TestCommand((), "", framework), file, file.read_text(), HOME)


@pytest.mark.parametrize("framework", PROJECTS)
def test_red_report_has_counts_and_names(framework: Framework) -> None:
    report, project = read(framework, "red"), PROJECTS[framework]
    assert report
    assert (report.failing, report.red) == (project.red, len(project.red))
    assert report.passed == project.green["passed"] - len(project.red)


@pytest.mark.parametrize("framework", PROJECTS)
def test_green_report_counts_each_test_once(framework: Framework) -> None:
    report = read(framework, "green")
    assert report
    counts = {name: getattr(report, name) for name in PROJECTS[framework].green}
    assert (counts, report.failing) == (PROJECTS[framework].green, ())


@pytest.mark.parametrize("framework", HARD)
def test_broken_files_and_hooks_are_errors(framework: Framework) -> None:
    assert read(framework, "hard") == HARD[framework]


@pytest.mark.parametrize(
    ("framework", "kind", "counts"),
    [
        ("pytest", "red", (1, 1, 0, 1)),
        ("pytest", "hard", (0, 0, 1, 0)),
        ("jest", "red", (1, 1, 0, 1)),
        ("jest", "hard", (1, 2, 0, 2)),
        ("vitest", "red", (1, 1, 0, 1)),
        ("vitest", "hard", (1, 1, 0, 1)),
        ("mocha", "red", (1, 1, 0, 1)),
        ("mocha", "hard", (1, 2, 0, 1)),
    ],
)
def test_summary_is_read_from_any_output(
    framework: str, kind: str, counts: tuple[int, ...]
) -> None:
    report = read_summary((RECORDINGS / f"{framework}.{kind}.plain.txt").read_text())
    assert report
    assert (report.passed, report.failed, report.errors, report.skipped) == counts


def test_two_summaries_are_no_summary() -> None:
    outputs = [(RECORDINGS / f"{name}.red.plain.txt").read_text() for name in ("jest", "mocha")]
    assert read_summary("".join(outputs)) is None


def test_every_framework_has_a_recording() -> None:
    assert {*PROJECTS} == {*FRAMEWORKS} - {"npm", "make", "configured"} == {*HARD}
