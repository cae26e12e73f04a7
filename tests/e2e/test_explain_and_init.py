"""`mcode explain` and `mcode init` as real processes against a real server."""

import pytest
from program import Ended, Program
from provider import Provider

from maxagent import trust


@pytest.fixture
def mcode(program: Program, provider: Provider):
    (program.project / "cart.py").write_text("def total(items):\n    return sum(items)\n")
    trust(program.project, program.home)

    def run(*arguments: str) -> Ended:
        return program.run(*arguments, "--model", "openai/served", "--base-url", provider.url)

    return run


def said(provider: Provider, number: int) -> str:
    """What the human says in a request."""
    return str(
        [m["content"] for m in provider.requests[number].body["messages"] if m["role"] == "user"]
    )


def test_explain_answers_on_stdout_with_read_only_tools(
    mcode, program: Program, provider: Provider
) -> None:
    provider.script(
        [
            {"tool_calls": [{"name": "read_file", "args": {"path": "cart.py"}}]},
            {"text": "It adds the items up (`cart.py:2`)."},
            {"text": "A title"},
        ]
    )
    ended = mcode("explain", "What does {total} do?")
    assert (ended.code, ended.stdout) == (0, "It adds the items up (`cart.py:2`).\n"), ended.stderr
    first = provider.requests[0].body
    offered = {tool["function"]["name"] for tool in first["tools"]}
    assert "grep" in offered and not offered & {"run_command", "edit", "write_file", "apply_patch"}
    assert "Explain: What does {total} do?" in said(provider, 0)
    assert "explorer of MaxAgent" in str(first["messages"][0])


def test_explain_refuses_writes_and_json_has_outcome(
    mcode, program: Program, provider: Provider
) -> None:
    write = {"name": "write_file", "args": {"path": "cart.py", "content": ""}}
    provider.script([{"tool_calls": [write]}, {"text": "I may not."}])
    ended = mcode("explain", "cart.py", "--output", "json")
    assert (ended.code, ended.last["outcome"], ended.last["graph"]) == (0, "answered", "chat")
    assert ended.last["summary"] == "I may not."
    assert (program.project / "cart.py").read_text() != ""
    ended = mcode("explain", " ")
    assert (ended.code, "nothing to explain given" in ended.stderr) == (2, True)


def test_init_asks_before_writing_and_improves_existing_file(
    mcode, program: Program, provider: Provider
) -> None:
    write = {"name": "write_file", "args": {"path": "AGENTS.md", "content": "# Carts\n"}}
    provider.script([{"tool_calls": [write]}, {"text": "It says what a cart is."}])
    asked = mcode("init", "Name the tests", "--output", "stream-json")
    assert (asked.code, asked.last["action_requests"][0]["name"]) == (4, "write_file")
    assert "The user adds: Name the tests" in said(provider, 0)
    assert not (program.project / "AGENTS.md").exists()
    assert asked.told("run_started")[0]["title"] == "mcode init"
    ended = program.run("resume", asked.last["thread_id"], "--approve")
    assert ended.code == 0 and "It says what a cart is." in ended.stdout
    assert (program.project / "AGENTS.md").read_text() == "# Carts\n"
    provider.script([{"text": "Carts."}] * 2)
    program.chat("hello")
    assert "# Carts" not in system_prompt(provider)  # nobody was shown what they said yes to
    assert program.run("trust", "--yes").code == 0
    program.chat("hello")
    assert "# Carts" in system_prompt(provider)


def system_prompt(provider: Provider) -> str:
    """Of the last request."""
    return provider.requests[-1].body["messages"][0]["content"]
