import pytest
from repl_session import Spoken

from maxagent.config.errors import UsageError


async def test_config_shows_and_sets_like_the_command_line(spoken: Spoken) -> None:
    assert "max_retries: 5  # default" in await spoken("/config")
    assert await spoken("/config model.max_retries") == "5\n"
    assert "Set `model.max_retries` in" in await spoken("/config model.max_retries 7")
    assert await spoken("/config model.max_retries") == "7\n"
    with pytest.raises(UsageError, match="unknown key"):
        await spoken("/config model.max_retrys")


async def test_rules_are_those_of_the_sessions_mode(spoken: Spoken) -> None:
    spoken.write("home/config.yaml", "permissions: {deny: ['run_command(git push:*)']}\n")
    spoken.session.mode = "edits"
    output = await spoken("/permissions")
    assert "mode: edits (this conversation)" in output and "run_command(git push:*)" in output
    spoken.session.mode = "ask"
    assert "mode: ask (default)" in await spoken("/permissions")


async def test_skills_are_listed_with_what_is_not_loaded(spoken: Spoken) -> None:
    spoken.write("home/skills/night/SKILL.md", "---\nname: day\ndescription: Rest.\n---\nSleep.\n")
    spoken.write("project/.claude/skills/pdf/SKILL.md", "x")
    output = await spoken("/skills")
    assert "maxagent" in output and "Rest." in output
    assert "not trusted (run `mcode trust`): .claude/skills/pdf/SKILL.md" in output
    assert "the name `day` is not that of its folder, `night`" in output
