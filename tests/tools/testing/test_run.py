import pytest

from maxagent.tools.testing.run import SAME_SECTION, TestRun, evaluate_run, shorten_output


@pytest.mark.parametrize(
    ("command", "code", "expected"),
    [
        ("make test", 0, ("passed", "exit code 0")),
        ("make test", 1, ("failed", "exit code 1")),
        ("make test", 5, ("failed", "exit code 5")),
        ("pytest -q", 5, ("unverified", "no tests were found")),
    ],
)
def test_configured_command_is_evaluated_by_exit_code(
    command: str, code: int, expected: tuple[str, str]
) -> None:
    judged = evaluate_run(TestRun(command, code, None, None, None, None, ""))
    assert (judged.verdict, judged.reason) == expected


def test_failures_in_report_outweigh_good_exit_code() -> None:
    assert evaluate_run(TestRun("pytest", 0, 3, 1, 0, 0, "")).verdict == "failed"


def collect_error(name: str, module: str) -> str:
    """A section of pytest's output."""
    return (
        f"________ ERROR collecting tests/{name}.py ________\n"
        f"ImportError while importing test module '/x/tests/{name}.py'.\n"
        f"tests/__init__.py:5: in <module>\n    import {module}\n"
        f"E   ModuleNotFoundError: No module named '{module}'\n"
    )


def find_no_module(name: str) -> str:
    """A section of unittest's output."""
    heading = f"ERROR: {name} (unittest.loader._FailedTest.{name})\n{'-' * 70}\n"
    return f"{'=' * 70}\n{heading}ImportError: Failed to import test module: {name}\nNo cart\n\n"


SUMMARY = "===== short test summary info =====\nERROR tests/test_b.py\n"
RAN = f"{'-' * 70}\nRan 2 tests in 1s\n"


@pytest.mark.parametrize(
    ("output", "same"),
    [
        (collect_error("test_a", "cart") + collect_error("test_b", "cart") + SUMMARY, 1),
        (collect_error("test_a", "cart") + collect_error("test_b", "basket") + SUMMARY, 0),
        ("".join(collect_error(f"test_{x}", "cart") for x in "abcdef") + SUMMARY, 5),
        (
            find_no_module("test_a")
            + find_no_module("test_b")
            + f"{'-' * 70}\nRan 2 tests in 1s\n",
            1,
        ),
        ("F.\n___ test_a ___\nE  assert 1\n___ test_b ___\nE  assert 1\n", 0),
        ("no sections\n" * 3, 0),
        ("", 0),
    ],
)
def test_repeated_sections_are_named_once(output: str, same: int) -> None:
    shortened = shorten_output(output, 3_000)
    assert shortened.count(SAME_SECTION) == same
    assert shortened.splitlines()[-1:] == output.splitlines()[-1:]
    assert shortened == output or same


@pytest.mark.parametrize(
    ("output", "length", "shortened"),
    [
        ("first line\nsecond\n", 10, "second\n"),
        ("first line\nsecond\n", 7, "second\n"),
        ("first\nsecond", 6, "second"),
        ("first\nsecond", 100, "first\nsecond"),
        ("one long line", 4, "line"),
        ("一行\n第二行\n", 5, "第二行\n"),
    ],
)
def test_excerpts_begin_with_whole_lines(output: str, length: int, shortened: str) -> None:
    assert shorten_output(output, length) == shortened
