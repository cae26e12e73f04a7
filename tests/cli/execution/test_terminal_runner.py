import json
from pathlib import Path
from typing import Any

import pytest

from maxagent import MaxAgentError, TerminalRunner, UsageError

WRITE = {"name": "write_file", "args": {"path": "a.txt", "content": "a\n"}}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    monkeypatch.setenv("MAXAGENT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LLC_MODEL", f"scripted/{tmp_path / 'script.json'}")
    return tmp_path


def play(folder: Path, turns: Any) -> None:
    (folder / "script.json").write_text(json.dumps(turns))


async def test_chat_shows_its_answer_on_stdout(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    play(folder, [{"text": "Look.", "tool_calls": [WRITE]}, {"text": "Written."}])
    async with TerminalRunner() as runner:
        result = await runner.run(runner.chat("Go", folder=".", options={"mode": "auto"}))
    output = capsys.readouterr()
    assert (result.status, result.text, output.out) == ("answered", "Written.", "Written.\n")
    assert "a.txt" in output.err


async def test_task_shows_its_end_on_stderr(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    turns = {
        "architect": [{"text": "SMALL"}],
        "coder": [{"tool_calls": [WRITE]}, {"text": "Done."}],
    }
    play(folder, {**turns, "tester": [{"text": "Accepted."}]})
    options: Any = {"mode": "auto", "apply": True, "skip_tests": True}
    async with TerminalRunner() as runner:
        result = await runner.run(runner.task("Go", folder=".", options=options))
    output = capsys.readouterr()
    assert (result.status, output.out) == ("unverified", "Done.\n")
    assert result.thread_id in output.err


async def test_question_stays_open_without_a_terminal(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    play(folder, [{"tool_calls": [WRITE]}, {"text": "Written."}])
    async with TerminalRunner() as runner:
        result = await runner.run(runner.chat("Go", folder=".", options={"mode": "ask"}))
        assert result.question and "write_file" in result.question.text
        assert "mcode resume" in capsys.readouterr().err
        allowed = runner.resume(result.thread_id, result.question.allow())
        assert (await runner.run(allowed)).text == "Written."


async def test_failed_run_is_shown_and_raised(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    play(folder, [])
    async with TerminalRunner() as runner:
        with pytest.raises(MaxAgentError) as caught:
            await runner.run(runner.chat("Go", folder="."))
    assert caught.value.message in " ".join(capsys.readouterr().err.split())


async def test_wrong_input_is_raised_before_anything_is_shown(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with TerminalRunner() as runner:
        with pytest.raises(UsageError):
            await runner.run(runner.chat(" ", folder="."))
    assert capsys.readouterr().err == ""
