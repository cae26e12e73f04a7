import pytest

from maxagent.cli.execution.background_end import show_stopped


def test_stopped_commands_are_named_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    show_stopped([])
    assert capsys.readouterr().err == ""
    show_stopped(["npm run dev", "make watch"])
    assert "`npm run dev`, `make watch`" in capsys.readouterr().err
