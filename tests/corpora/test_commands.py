from collections.abc import Sequence

import pytest
from command_lines import HOME, TABLES, Case, cases, judged, project

from maxagent.tools.shell.analysis import CommandAnalysis

EVERY = [case for table in TABLES for case in cases(table)]


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> Sequence[tuple[Case, CommandAnalysis]]:
    """Every line with its verdict, in a project that the home is outside of."""
    workspace = project(tmp_path_factory.mktemp("corpus"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", HOME)
        return [(case, judged(case, workspace)) for case in EVERY]


def test_the_corpora_are_large_enough() -> None:
    assert len({case.line for case in EVERY}) > 1000


@pytest.mark.parametrize("lesson", sorted({(c.verdict, c.rule, c.lesson) for c in EVERY}))
def test_every_line_is_judged_as_its_lesson_says(
    lesson: tuple[str, str, str], verdicts: Sequence[tuple[Case, CommandAnalysis]]
) -> None:
    wrong = list[tuple[Case, str]]()
    for case, result in verdicts:
        if (case.verdict, case.rule, case.lesson) == lesson:
            verdict = result.verdict or "ordinary"
            if verdict != case.verdict or (case.rule and case.rule != result.rule):
                wrong.append((case, f"{verdict} {result.rule}: {result.reason}"))
    assert wrong == []


def test_a_finding_says_what_was_found(verdicts: Sequence[tuple[Case, CommandAnalysis]]) -> None:
    for case, result in verdicts:
        reason = result.reason
        assert reason and "\n" not in reason.replace(case.line, "")


def test_allowed_lines_hold_only_reading_commands(
    verdicts: Sequence[tuple[Case, CommandAnalysis]],
) -> None:
    for case, result in verdicts:
        if result.verdict == "allow":
            assert result.commands and all(command.reads for command in result.commands), case
