from pathlib import Path

import pytest

from maxagent.config.agents.registry import Agents, built_in, find_agents
from maxagent.config.errors import UsageError
from maxagent.config.trust.decision import accept, trust_of

SHOWN = ["architect", "build", "coder", "explore", "general", "plan", "shell", "tester"]


def put(file: Path, *front: str, body: str = "You.") -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join(["---", *front, "---", body]))
    return file


def found(tmp_path: Path, *, trusted: bool = True) -> Agents:
    folder, home = tmp_path / "project", tmp_path / "home"
    folder.mkdir(exist_ok=True)
    if trusted:
        accept(trust_of(folder, home), home)
    return find_agents(folder, home, trust_of(folder, home))


def test_the_built_in_agents_are_these_and_each_says_what_it_does() -> None:
    shown = [one for one in built_in().values() if not one.hidden]
    assert [one.name for one in shown] == SHOWN and "editor" in built_in()
    assert all(one.description and one.origin == "built-in" for one in built_in().values())


def test_a_file_of_the_users_replaces_a_built_in_agent_and_stands_under_none(
    tmp_path: Path,
) -> None:
    file = put(tmp_path / "home/agents/explore.md", "tools: [run_command]")
    explore = found(tmp_path).find("explore")
    assert (explore.origin, explore.under) == (str(file), None)


def test_a_projects_agents_count_only_where_it_is_trusted(tmp_path: Path) -> None:
    put(tmp_path / "project/.claude/agents/sub/reviewer.md", "color: red")
    assert "reviewer" not in found(tmp_path, trusted=False).profiles
    assert found(tmp_path).find("reviewer").prompt == "You."


def test_a_projects_agent_stays_under_the_one_whose_name_it_takes(tmp_path: Path) -> None:
    put(tmp_path / "home/agents/mine.md", "permissions: {deny: [edit], allow: [grep]}")
    for place in (".llc", ".opencode"):
        put(tmp_path / f"project/{place}/agents/mine.md", "tools: [edit, grep]", body=place)
    put(tmp_path / "project/.agents/agents/explore.md", "tools: [run_command]")
    mine, explore = found(tmp_path).find("mine"), found(tmp_path).find("explore")
    assert (mine.prompt, [rule.text for rule in mine.rules]) == (".llc", ["edit"])
    assert mine.under and mine.under.under is None
    assert explore.under == built_in()["explore"]


def test_what_changed_since_the_look_is_not_read(tmp_path: Path) -> None:
    folder, home = tmp_path / "project", tmp_path / "home"
    file = put(folder / ".llc/agents/a.md", "mode: all")
    accept(trust_of(folder, home), home)
    trust = trust_of(folder, home)
    put(file, "mode: all", body="You are another.")
    with pytest.raises(UsageError, match="changed while it was read"):
        find_agents(folder, home, trust).find("a")


def test_nobody_speaks_under_the_name_of_a_file_with_mistakes(tmp_path: Path) -> None:
    put(tmp_path / "home/agents/coder.md", "denied_tools: 3")
    put(tmp_path / "home/agents/odd.md", "name: build", "typo: 1")
    here = found(tmp_path)
    assert {"coder", "build"} & {*here.profiles} == set() and "plan" in here.profiles
    with pytest.raises(UsageError, match=r"coder\.md:2: `denied_tools` must be"):
        here.find("coder")
    with pytest.raises(UsageError, match=r"odd\.md:3: unknown key `typo`"):
        here.find("build")


def test_a_file_that_is_no_text_is_a_fault_of_that_agent_alone(tmp_path: Path) -> None:
    put(tmp_path / "home/agents/a.md").write_bytes(b"---\n\xff\n---\n")
    here = found(tmp_path)
    assert [fault.reports[0].partition("a.md")[2] for fault in here.faults] == [
        ":2: not UTF-8 text"
    ]


def test_an_unknown_name_is_told_with_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no agent `buidl`") as unknown:
        found(tmp_path).find("buidl")
    assert unknown.value.hint == f"did you mean `build`? There are: {', '.join(SHOWN)}"


def test_the_agents_are_those_that_can_speak(tmp_path: Path) -> None:
    put(tmp_path / "home/agents/mine.md", "mode: all")
    home = tmp_path / "home"
    assert [*find_agents(tmp_path, home, trust_of(tmp_path, home)).profiles][-1] == "mine"


def test_one_that_is_sent_by_others_speaks_with_nobody(tmp_path: Path) -> None:
    put(tmp_path / "home/agents/mine.md", "mode: subagent")
    known = found(tmp_path)
    for name in ("mine", "general"):
        assert known.find(name).mode == "subagent"
        with pytest.raises(UsageError, match="works only for other agents") as refused:
            known.find_speaking(name)
        assert "explore, plan, shell" in refused.value.hint and name not in refused.value.hint
    assert known.find_speaking("plan").name == "plan"
