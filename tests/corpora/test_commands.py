import pytest
from command_lines import HOME, TABLES, Case, cases, judged, project

from maxagent.tools.workspace import Workspace

EVERY = [case for table in TABLES for case in cases(table)]


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    return project(tmp_path_factory.mktemp("corpus"))


@pytest.fixture(autouse=True)
def home_outside_of_the_project(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", HOME)


def test_the_corpora_are_large_enough() -> None:
    assert len({case.line for case in EVERY}) > 1000


@pytest.mark.parametrize("lesson", sorted({(c.verdict, c.rule, c.lesson) for c in EVERY}))
def test_every_line_is_judged_as_its_lesson_says(
    lesson: tuple[str, str, str], workspace: Workspace
) -> None:
    wrong = list[tuple[Case, str]]()
    for case in EVERY:
        if (case.verdict, case.rule, case.lesson) == lesson:
            found = judged(case, workspace)
            verdict = found.verdict or "ordinary"
            if verdict != case.verdict or (case.rule and case.rule != found.rule):
                wrong.append((case, f"{verdict} {found.rule}: {found.reason}"))
    assert wrong == []


def test_a_finding_says_what_was_found(workspace: Workspace) -> None:
    for case in EVERY:
        reason = judged(case, workspace).reason
        assert reason and "\n" not in reason.replace(case.line, "")


def test_allowed_lines_hold_only_reading_commands(
    workspace: Workspace,
) -> None:
    for case in EVERY:
        found = judged(case, workspace)
        if found.verdict == "allow":
            assert found.commands and all(command.reads for command in found.commands), case
