from pathlib import Path

from maxagent.cli.repl.prompt.agent_mentions import describe_agents, parse_agent_mention


def test_message_beginning_with_agent_name_addresses_it(tmp_path: Path) -> None:
    def found(message: str) -> tuple[str, str]:
        return parse_agent_mention(message, tmp_path, tmp_path / "home")

    assert found("@explore where is it?") == ("explore", "where is it?")
    assert found("@general do it") == ("general", "do it")  # to be refused
    for message in ("@explore", "where is @explore now", "@nobody hi", "explore it", "@ x", ""):
        assert found(message) == ("", message)
    (tmp_path / "explore").mkdir()
    assert found("@explore where is it?")[0] == ""


def test_every_agent_says_what_it_is_for(tmp_path: Path) -> None:
    existing = describe_agents(tmp_path, tmp_path / "home")
    assert {"build", "plan", "explore"} <= existing.keys() and all(existing.values())
    assert "general" not in existing
