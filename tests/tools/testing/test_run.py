import pytest

from maxagent.tools.testing.run import TestRun, evaluate_run


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
