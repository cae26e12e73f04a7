"""`mcode memory list`, `search` and `show`."""

from pathlib import Path

import pytest
from memory_place import MemoryPlace

from maxagent.memory.cards.library import CardDraft
from maxagent.memory.cards.store import open_library


@pytest.fixture
def memory(tmp_path: Path) -> MemoryPlace:
    return MemoryPlace(tmp_path)


def test_empty_memory_says_how_to_add(memory: MemoryPlace) -> None:
    ended = memory("list")
    assert (ended.returncode, ended.stdout) == (0, "")
    assert "mcode memory add" in ended.stderr
    assert memory.read("list") == []


def test_cards_of_user_and_project_are_listed(memory: MemoryPlace, tmp_path: Path) -> None:
    memory.add("Use tabs", "--user", "--type", "preference")
    card = memory.add("The parser is in parse.py", "--path", "parse.py", "--tag", "parser")
    lines = memory("list").stdout.splitlines()
    assert len(lines) == 3 and lines[0].split() == ["id", "type", "scope", "changed", "content"]
    output = next(line for line in lines if card[:8] in line)
    assert "[out of date?] The parser is in parse.py" in output
    (memory.project / "parse.py").touch()
    assert "[out of date?]" not in memory("list").stdout
    (tmp_path / "other").mkdir()
    assert "Use tabs" in memory("list", folder=tmp_path / "other").stdout
    assert "parser" not in memory("list", folder=tmp_path / "other").stdout
    (only,) = memory.read("list", "--type", "preference")
    assert (only["content"], only["scope"], only["state"]) == ("Use tabs", "user", "active")


def test_search_lists_best_card_first(memory: MemoryPlace) -> None:
    memory.add("Deploy with make deploy")
    memory.add("测试用 make test 运行")
    assert [each["content"] for each in memory.read("search", "怎么运行测试？")] == [
        "测试用 make test 运行"
    ]
    content = memory.read("search", "deploy")
    assert content[0]["content"] == "Deploy with make deploy" and content[0]["score"] > 0
    assert memory("search", "nothing like it").stderr.strip() == "No card matches"


def test_card_is_shown_by_the_beginning_of_its_id(memory: MemoryPlace) -> None:
    card = memory.add("Shown whole", "--expires", "2999-12-31")
    ended = memory("show", card[:6])
    assert ended.stdout.startswith("Shown whole\n") and card in ended.stdout
    assert "expires  3000-01-01" in ended.stdout
    assert memory.read("show", card)["id"] == card
    assert memory("show", "0000").returncode == 2 and memory("show", "").returncode == 2


async def test_expired_card_is_listed_with_all_only(memory: MemoryPlace) -> None:
    expired = CardDraft("Over since long", expires_at="2000-01-02T00:00:00+00:00")
    async with open_library(memory.home, memory.project) as library:
        await library.add(expired)
    assert memory.read("list") == []
    assert [card["expired"] for card in memory.read("list", "--all")] == [True]
    assert "[expired] Over since long" in memory("list", "--all").stdout
