from collections.abc import Iterator

import pytest
from repl_session import Spoken

from maxagent.cli.i18n.catalogs import use_language
from maxagent.config.errors import UsageError
from maxagent.memory.cards.card import Source
from maxagent.memory.cards.library import CardDraft
from maxagent.memory.cards.store import open_library


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


async def test_cards_are_added_listed_and_forgotten(spoken: Spoken) -> None:
    assert "Remembered" in await spoken("/memory add Use tabs.")
    output = await spoken("/memory")
    assert "Use tabs." in output
    assert "Use tabs." not in await spoken("/memory constraint")
    async with open_library(spoken.home, spoken.project) as library:
        (card,) = await library.list()
    await spoken(f"/memory forget {card.id[:8]}")
    assert "Use tabs." not in await spoken("/memory all")


async def test_a_proposal_is_kept_or_dropped(spoken: Spoken) -> None:
    async with open_library(spoken.home, spoken.project) as library:
        for content in ("Ports are random.", "Logs rotate daily."):
            source = Source("thread", step=1, by="model")
            added = await library.add(CardDraft(content, source=source))
            spoken.session.proposals[added.card.id] = content
    first, second = spoken.session.proposals
    assert "Ports are random." in await spoken("/memory inbox")
    await spoken(f"/memory keep {first[:8]}")
    await spoken(f"/memory drop {second[:8]}")
    assert not spoken.session.proposals
    output = await spoken("/memory")
    assert "Ports are random." in output and "Logs rotate" not in output


async def test_memory_is_switched_off_for_the_thread(spoken: Spoken) -> None:
    assert "off" in await spoken("/memory off")
    assert spoken.session.next_options.get("memory") is False
    await spoken("/memory on")
    assert spoken.session.next_options.get("memory") is True


async def test_memory_stays_off_by_the_setting(
    spoken: Spoken, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAXAGENT_MEMORY__ENABLED", "false")
    for name in ("on", "off", "list"):
        output = await spoken(f"/memory {name}")
        assert "`memory.enabled`" in output and "Memory is on" not in output


async def test_listing_says_that_the_thread_has_no_memory(spoken: Spoken) -> None:
    await spoken("/memory off")
    assert "Memory is off in this thread" in await spoken("/memory")
    await spoken("/memory on")
    assert "Memory is off" not in await spoken("/memory")


@pytest.fixture
def chinese() -> Iterator[None]:
    use_language("zh")
    yield
    use_language("")


@pytest.mark.usefixtures("chinese")
async def test_types_are_named_as_the_interface_does(spoken: Spoken) -> None:
    await spoken("/memory add Use tabs.")
    assert "Use tabs." in await spoken("/memory 事实")
    assert "Use tabs." not in await spoken("/memory 偏好")
    with pytest.raises(UsageError) as refused:
        await spoken("/memory 别的")
    assert "`偏好`" in (refused.value.hint or "")


@pytest.mark.parametrize("text", ["frobnicate", "edit 1234", "keep"])
async def test_unknown_words_are_refused(spoken: Spoken, text: str) -> None:
    with pytest.raises(UsageError, match=f"`/memory {text}`"):
        await spoken(f"/memory {text}")
