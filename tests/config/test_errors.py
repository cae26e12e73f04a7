import copy
import pickle

import pytest
from typer.testing import CliRunner

from maxagent import MaxAgentError, UsageError, agents
from maxagent.cli.app import app
from maxagent.config.errors import LimitReachedError, UnfinishedTurnError
from maxagent.config.text import TemplatedText, text
from maxagent.memory.cards.admission import CardRefusedError


@pytest.mark.parametrize(
    "kind",
    [MaxAgentError, UsageError, UnfinishedTurnError, LimitReachedError, CardRefusedError],
)  # fmt: skip
def test_the_text_of_an_error_has_its_hint(kind: type[MaxAgentError]) -> None:
    error = kind(text("no file `{name}`", name="a"), hint="name another")
    for copied in (error, copy.deepcopy(error), pickle.loads(pickle.dumps(error))):
        assert str(copied) == "no file `a`; name another"
        assert (copied.message, copied.hint) == ("no file `a`", "name another")
    assert isinstance(str(error), TemplatedText)


def test_an_error_without_hint_is_its_message() -> None:
    assert str(MaxAgentError("it failed")) == "it failed"


def test_an_unknown_agent_lists_known_ones_in_text() -> None:
    with pytest.raises(UsageError) as raised:
        agents.get("unknown")
    assert "build" in str(raised.value) and "explore" in str(raised.value)


@pytest.mark.parametrize(
    "command",
    [
        ["resume", "no-such-thread"],
        ["threads", "show", "no-such-thread"],
        ["chat", "--model", "nothing", "hi"],
        ["agents", "validate", "nowhere.md"],
        ["edit", "../outside", "x"],
    ],
)
def test_the_command_line_says_a_hint_once(command, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("MAXAGENT_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    lines = CliRunner().invoke(app, command).stderr.splitlines()
    assert len(lines) == len(set(lines))
    assert not [
        line for line in lines for other in lines if line != other and other.strip("→ ") in line
    ]
