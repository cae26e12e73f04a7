import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxagent.config.agents.parser import InvalidAgentError, read_agent
from maxagent.config.agents.profile import AgentProfile

FILE = Path("/agents/tidy.md")
CLAUDE = """---
name: reviewer
description: Use when: code was written. <example>user: "done" # here</example>
tools: Read, Grep, Bash
disallowedTools: WebFetch
model: sonnet
maxTurns: 7
color: red
permissionMode: plan
---

You review.
"""
OPENCODE = """---
description: Writes docs
mode: subagent
model: openai/gpt-4o
temperature: 0.1
steps: 5
hidden: true
tools:
  write: false
  mcp_*: false
permission:
  edit: deny
  bash:
    "*": ask
    "git push *": deny
    "git status": allow
---
You write.
"""
OWN = """---
tools: [read_file, edit]
denied_tools: [webfetch]
permissions:
  deny: ["run_command(git push:*)"]
  allow: [run_command(make)]
files: [src/**, tests/**]
max_steps: 3
model:
---
You tidy.
"""


def agent(front: str, body: str = "You.", *, own: bool = True) -> AgentProfile:
    return read_agent(FILE, f"---\n{front}\n---\n{body}", own=own)


def reports(front: str, body: str = "You.") -> tuple[str, ...]:
    with pytest.raises(InvalidAgentError) as wrong:
        agent(front, body)
    return wrong.value.reports


def test_own_agent_file_is_read_completely() -> None:
    result = read_agent(FILE, OWN, own=True)
    assert (result.name, result.system_prompt, result.mode, result.model) == (
        "tidy",
        "You tidy.",
        "all",
        "",
    )
    assert (result.allowed_tools, result.denied_tools) == (("read_file", "edit"), ("webfetch",))
    assert [(rule.kind, rule.text, rule.origin) for rule in result.permissions] == [
        ("deny", "run_command(git push:*)", f"{FILE}:5"),
        ("allow", "run_command(make)", f"{FILE}:6"),
    ]
    assert (result.writable_files, result.max_steps, result.notes) == (
        ("src/**", "tests/**"),
        3,
        (),
    )
    assert (result.locate_key("files"), result.locate_key("hidden")) == (f"{FILE}:7", str(FILE))


def test_claude_code_agent_keys_without_use_are_noted() -> None:
    result = read_agent(FILE, CLAUDE, own=True)
    assert result.description.startswith("Use when: code") and result.description.endswith("ple>")
    assert (result.name, result.allowed_tools) == ("reviewer", ("Read", "Grep", "Bash"))
    assert (result.denied_tools, result.model, result.max_steps) == (("WebFetch",), "", 7)
    noted = [note.split(":")[1] for note in result.notes]
    assert noted == ["8", "6"] and "`sonnet` is not PROVIDER/MODEL" in result.notes[1]


@pytest.mark.parametrize(
    ("written", "limit", "isolation"),
    [
        ("permissionMode: plan", "read-only", ""),
        ("permissionMode: acceptEdits", "edits", ""),
        ("permission_mode: ask", "ask", ""),
        ("permissionMode: bypassPermissions", "", ""),
        ("isolation: worktree", "", "worktree"),
    ],
)
def test_mode_and_isolation_are_read(written: str, limit: str, isolation: str) -> None:
    result = agent(written)
    assert (result.mode_limit, result.isolation, result.notes) == (limit, isolation, ())


def test_wrong_mode_and_isolation_are_reported() -> None:
    assert "`permission_mode` must be one of read-only" in reports("permission_mode: none")[0]
    assert "`isolation` must be worktree or none" in reports("isolation: docker")[0]


def test_unknown_key_in_another_agents_folder_is_noted() -> None:
    text = "---\ndescription: x\nfuture: yes\n---\nYou."
    result = read_agent(Path(".claude/agents/x.md"), text, own=True)
    assert [note.partition(": ")[2] for note in result.notes] == ["`future` is not used here"]
    with pytest.raises(InvalidAgentError, match="unknown key `future`"):
        read_agent(Path(".llc/agents/x.md"), text, own=True)


def test_opencode_agent_is_read_with_tools_as_rules() -> None:
    result = read_agent(FILE, OPENCODE, own=True)
    assert (result.mode, result.model, result.temperature) == ("subagent", "openai/gpt-4o", 0.1)
    assert (result.allowed_tools, result.denied_tools) == (("*",), ("write", "mcp_*"))
    assert (result.max_steps, result.hidden) == (5, True)
    assert [f"{rule.kind} {rule.text}" for rule in result.permissions] == [
        "deny edit",
        "ask bash",
        "deny run_command(git push:*)",
        "allow run_command(git status)",
    ]


def test_only_true_tools_remain_where_all_are_false() -> None:
    result = agent("tools: {'*': false, read: true, bash: false}")
    assert (result.allowed_tools, result.denied_tools) == (("read",), ("bash",))


def test_project_agent_cannot_have_allow_rules() -> None:
    result = read_agent(FILE, OWN, own=False)
    assert [rule.kind for rule in result.permissions] == ["deny"]
    assert result.notes == (f"{FILE}:6: a project's agent cannot have `allow` rules",)


@pytest.mark.parametrize(
    ("front", "report"),
    [
        ("x: 1\ntemprature: 1", ":3: unknown key `temprature`; did you mean `temperature`?"),
        ("zzz: 1", ":2: unknown key `zzz`; use one of `name`, `description`, "),
        ("name: My Agent", ":2: `My Agent` is not a valid agent name: use a-z"),
        ("name: ../../etc", "is not a valid agent name"),
        ("description: [a]", ":2: `description` must be text"),
        ("mode: main", ":2: `mode` must be one of primary, subagent, all, not `main`"),
        ("mode: [a]", ":2: `mode` must be one of"),
        ("temperature: warm", ":2: `temperature` must be a number"),
        ("temperature: 3", ":2: `temperature` must be from 0 to 2"),
        ("temperature: .nan", ":2: `temperature` must be from 0 to 2"),
        ("max_steps: 2.5", ":2: `max_steps` must be a whole number"),
        ("max_steps: true", ":2: `max_steps` must be a whole number"),
        ("max_steps: 0", ":2: `max_steps` must be from 1"),
        ("hidden: 1", ":2: `hidden` must be true or false"),
        ("tools: 3", ":2: `tools` must be a list, or names"),
        ("tools: [a, 1]", ":2: `tools` must be a list, or names"),
        ("tools: {read: ask}", ":2: in a mapping, `tools` takes only true and false"),
        ("tools: Bash(git:*), Read", ":2: `Bash(git:*)` is a rule; `tools` takes tool names"),
        ("steps: 1\nmax_steps: 2", ":2: `max_steps` sets `max_steps` a second time"),
        ("a: 1\n  b: 2", ":3: not YAML"),
        ("- a", ":1: not a mapping"),
    ],
)
def test_a_mistake_is_reported_with_its_line(front: str, report: str) -> None:
    assert any(report in item and item.startswith(f"{FILE}:") for item in reports(front))


def test_all_mistakes_are_reported_at_once() -> None:
    assert len(reports("mode: x\ntools: 1\nwhat: 1", body="  ")) == 4


@pytest.mark.parametrize("text", ["", "You are.", "---\nmode: all\nYou are."])
def test_file_with_invalid_beginning_is_not_an_agent(text: str) -> None:
    with pytest.raises(InvalidAgentError, match="front matter") as wrong:
        read_agent(FILE, text, own=True)
    assert (wrong.value.name, wrong.value.reports[0].startswith(f"{FILE}:1:")) == ("tidy", True)


VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=8),
    st.lists(st.text(max_size=5), max_size=3),
    st.dictionaries(st.text(max_size=5), st.booleans(), max_size=2),
)


@given(st.dictionaries(st.sampled_from(["name", "mode", "tools", "permission", "x"]), VALUES))
def test_any_front_matter_gives_agent_or_located_mistakes(values: dict[str, object]) -> None:
    front = "\n".join(f"{key}: {json.dumps(value)}" for key, value in values.items())
    try:
        agent(front)
    except InvalidAgentError as wrong:
        assert all(report.startswith(f"{FILE}:") for report in wrong.reports)
