import json
from pathlib import Path
from typing import Any

import pytest

from maxagent import MaxAgentError, TerminalRunner, UsageError

WRITE = {"name": "write_file", "args": {"path": "a.txt", "content": "a\n"}}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    monkeypatch.setenv("MAXAGENT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LLC_MODEL", f"scripted/{tmp_path / 'script.json'}")
    return tmp_path


def play(place: Path, turns: Any) -> None:
    (place / "script.json").write_text(json.dumps(turns))


async def test_chat_shows_its_answer_on_stdout(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    play(place, [{"text": "Look.", "tool_calls": [WRITE]}, {"text": "Written."}])
    async with TerminalRunner() as runner:
        result = await runner.run(runner.chat("Go", folder=".", options={"mode": "auto"}))
    shown = capsys.readouterr()
    assert (result.status, result.text, shown.out) == ("answered", "Written.", "Written.\n")
    assert "a.txt" in shown.err


async def test_task_shows_its_end_on_stderr(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    turns = {
        "architect": [{"text": "SMALL"}],
        "coder": [{"tool_calls": [WRITE]}, {"text": "Done."}],
    }
    play(place, {**turns, "tester": [{"text": "Accepted."}]})
    options: Any = {"mode": "auto", "apply": True, "skip_tests": True}
    async with TerminalRunner() as runner:
        result = await runner.run(runner.task("Go", folder=".", options=options))
    shown = capsys.readouterr()
    assert (result.status, shown.out) == ("unverified", "Done.\n")
    assert result.thread_id in shown.err


async def test_question_stays_open_without_a_terminal(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    play(place, [{"tool_calls": [WRITE]}, {"text": "Written."}])
    async with TerminalRunner() as runner:
        result = await runner.run(runner.chat("Go", folder=".", options={"mode": "ask"}))
        assert result.question and "write_file" in result.question.text
        assert "mcode resume" in capsys.readouterr().err
        allowed = runner.resume(result.thread_id, result.question.allow())
        assert (await runner.run(allowed)).text == "Written."


async def test_failed_run_is_shown_and_raised(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    play(place, [])
    async with TerminalRunner() as runner:
        with pytest.raises(MaxAgentError) as caught:
            await runner.run(runner.chat("Go", folder="."))
    assert caught.value.message in " ".join(capsys.readouterr().err.split())


async def test_wrong_input_is_raised_before_anything_is_shown(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with TerminalRunner() as runner:
        with pytest.raises(UsageError):
            await runner.run(runner.chat(" ", folder="."))
    assert capsys.readouterr().err == ""
