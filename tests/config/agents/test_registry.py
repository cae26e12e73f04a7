from pathlib import Path

import pytest

from maxagent.config.agents.registry import AgentRegistry, find_agents, load_built_in_agents
from maxagent.config.errors import UsageError
from maxagent.config.trust.decision import check_trust, grant_trust

SHOWN = ["architect", "build", "coder", "explore", "general", "plan", "shell", "tester"]


def put(file: Path, *front: str, body: str = "You.") -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join(["---", *front, "---", body]))
    return file


def found(tmp_path: Path, *, trusted: bool = True) -> AgentRegistry:
    folder, home = tmp_path / "project", tmp_path / "home"
    folder.mkdir(exist_ok=True)
    if trusted:
        grant_trust(check_trust(folder, home), home)
    return find_agents(folder, home, check_trust(folder, home))


def test_built_in_agents_are_listed_each_with_description() -> None:
    output = [item for item in load_built_in_agents().values() if not item.hidden]
    assert [item.name for item in output] == SHOWN and "editor" in load_built_in_agents()
    assert all(
        item.description and item.origin == "built-in" for item in load_built_in_agents().values()
    )


def test_user_agent_file_replaces_built_in_without_limits(
    tmp_path: Path,
) -> None:
    file = put(tmp_path / "home/agents/explore.md", "tools: [run_command]")
    explore = found(tmp_path).find("explore")
    assert (explore.origin, explore.under) == (str(file), None)


def test_project_agents_load_only_in_trusted_folder(tmp_path: Path) -> None:
    put(tmp_path / "project/.claude/agents/sub/reviewer.md", "color: red")
    assert "reviewer" not in found(tmp_path, trusted=False).profiles
    assert found(tmp_path).find("reviewer").system_prompt == "You."


def test_project_agent_keeps_limits_of_agent_it_replaces(tmp_path: Path) -> None:
    put(tmp_path / "home/agents/mine.md", "permissions: {deny: [edit], allow: [grep]}")
    for name in (".llc", ".opencode"):
        put(tmp_path / f"project/{name}/agents/mine.md", "tools: [edit, grep]", body=name)
    put(tmp_path / "project/.agents/agents/explore.md", "tools: [run_command]")
    mine, explore = found(tmp_path).find("mine"), found(tmp_path).find("explore")
    assert (mine.system_prompt, [rule.text for rule in mine.rules]) == (".llc", ["edit"])
    assert mine.under and mine.under.under is None
    assert explore.under == load_built_in_agents()["explore"]


def test_what_changed_since_the_look_is_not_read(tmp_path: Path) -> None:
    folder, home = tmp_path / "project", tmp_path / "home"
    file = put(folder / ".llc/agents/a.md", "mode: all")
    grant_trust(check_trust(folder, home), home)
    trust = check_trust(folder, home)
    put(file, "mode: all", body="You are another.")
    with pytest.raises(UsageError, match="changed while it was read"):
        find_agents(folder, home, trust).find("a")


def test_invalid_agent_file_disables_agent_of_that_name(tmp_path: Path) -> None:
    put(tmp_path / "home/agents/coder.md", "denied_tools: 3")
    put(tmp_path / "home/agents/odd.md", "name: build", "typo: 1")
    here = found(tmp_path)
    assert {"coder", "build"} & {*here.profiles} == set() and "plan" in here.profiles
    with pytest.raises(UsageError, match=r"coder\.md:2: `denied_tools` must be"):
        here.find("coder")
    with pytest.raises(UsageError, match=r"odd\.md:3: unknown key `typo`"):
        here.find("build")


def test_non_text_agent_file_faults_only_that_agent(tmp_path: Path) -> None:
    put(tmp_path / "home/agents/a.md").write_bytes(b"---\n\xff\n---\n")
    here = found(tmp_path)
    assert [fault.reports[0].partition("a.md")[2] for fault in here.faults] == [
        ":2: not UTF-8 text"
    ]


def test_unknown_agent_name_error_lists_known_agents(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no agent `buidl`") as unknown:
        found(tmp_path).find("buidl")
    assert unknown.value.hint == f"did you mean `build`? There are: {', '.join(SHOWN)}"


def test_the_agents_are_those_that_can_speak(tmp_path: Path) -> None:
    put(tmp_path / "home/agents/mine.md", "mode: all")
    home = tmp_path / "home"
    assert [*find_agents(tmp_path, home, check_trust(tmp_path, home)).profiles][-1] == "mine"


def test_subagent_cannot_be_chosen_for_conversation(tmp_path: Path) -> None:
    put(tmp_path / "home/agents/mine.md", "mode: subagent")
    existing = found(tmp_path)
    for name in ("mine", "general"):
        assert existing.find(name).mode == "subagent"
        with pytest.raises(UsageError, match="works only for other agents") as refused:
            existing.find_primary_agent(name)
        assert "explore, plan, shell" in refused.value.hint and name not in refused.value.hint
    assert existing.find_primary_agent("plan").name == "plan"
