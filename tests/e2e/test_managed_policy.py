"""Attempts to loosen an administrator's policy by every door that a user or a project has."""

import json
from pathlib import Path
from typing import Any

import pytest
from policy_place import PolicyPlace, policy_place
from repair_project import last_of

from maxagent import Runner
from maxagent.config.errors import UsageError
from maxagent.config.network.client import RefusedAddressError, open_client
from maxagent.config.network.response_limits import ResponseLimits
from maxagent.config.settings.managed_policy import ManagedPolicy
from maxagent.config.settings.policy_file import load_managed_policy
from maxagent.models.policy.limits import RunMeter, check_request, record_request
from maxagent.nodes.hooks.selection import select_hooks
from maxagent.nodes.run.agent import open_agent
from maxagent.nodes.run.context import Context
from maxagent.sdk.graph_registry import CHAT
from maxagent.tools.mcp.config_files import load_servers
from maxagent.tools.mcp.connection import McpConnection
from maxagent.tools.mcp.errors import McpError
from maxagent.tools.permissions.evaluate import evaluate_call
from maxagent.tools.sandbox.detect import open_sandbox
from maxagent.tools.workspace import Workspace

__all__ = ["policy_place"]

STRICT = {
    "mode": "ask",
    "sandbox": {"mode": "auto", "network": False, "unix_sockets": "deny", "writable": ["/opt/ok"]},
    "limits": {"turns": 5},
}
# What a user would like, and what must come of it
WISHES: dict[str, tuple[object, object]] = {
    "security.mode": ("auto", "ask"),
    "security.require_confirmation": (False, None),
    "sandbox.mode": ("off", "auto"),
    "sandbox.network": (True, False),
    "sandbox.unix_sockets": ("allow", "deny"),
    "sandbox.writable": (["/opt/ok/a", "/opt/other", "/opt/ok/../other"], ["/opt/ok/a"]),
    "model.max_iterations": (900, 5),
    "model.max_steps": (900, 5),
}
SOURCES = ("user", "project", "profile", "LLC_", "MAXAGENT_", "flag")


@pytest.mark.parametrize("key", [*WISHES])
@pytest.mark.parametrize("source", SOURCES)
def test_no_source_of_settings_loosens_it(policy_place: PolicyPlace, key: str, source: str) -> None:
    policy_place.set_policy(STRICT)
    wish, expected = WISHES[key]
    section, name = key.split(".")
    flags = write_wish(policy_place, source, section, name, wish)

    loaded = policy_place.load(**flags)

    value = getattr(getattr(loaded.settings, section), name)
    assert value == (wish if expected is None else expected)
    if expected is not None:
        assert loaded.origins[key].startswith(f"{policy_place.file}:")
    sandbox = open_sandbox(
        loaded.settings.sandbox, Workspace(policy_place.project), policy_place.home
    )
    assert (sandbox.network, sandbox.unix_sockets) == (False, False)
    assert "sandbox.mode" not in sandbox.why_none


def write_wish(
    policy_place: PolicyPlace, source: str, section: str, name: str, wish: object
) -> dict[str, object]:
    """Say the wish at its source; return the flags."""
    content = json.dumps({section: {name: wish}}, indent=1)
    if source == "user":
        policy_place.write_user(json.loads(content))
    elif source == "project":
        policy_place.write_project(".llc.yaml", content)
    elif source == "profile":
        (policy_place.home / "profiles").mkdir()
        (policy_place.home / "profiles" / "free.yaml").write_text(content)
        policy_place.patch.setenv("MAXAGENT_PROFILE", "free")
    elif source == "flag":
        return {f"{section}.{name}": wish}
    else:
        policy_place.patch.setenv(f"{source}{section}__{name}".upper(), json.dumps(wish))
    return {}


@pytest.mark.parametrize(
    ("options", "context"),
    [
        ({"mode": "auto"}, Context()),
        ({"mode": "edits"}, Context()),
        ({}, Context(mode="auto")),
        ({"files": ["a.txt"], "mode": "auto"}, Context()),
        ({"agent": "build", "mode": "auto"}, Context()),
        ({"speaker": "free", "mode": "auto"}, Context()),
        ({"tests_for": "a.py", "mode": "auto"}, Context()),
        ({"plan": True, "plan_file": "p.md", "mode": "auto"}, Context()),
    ],
)
async def test_no_option_of_a_thread_loosens_its_mode(
    policy_place: PolicyPlace, options: dict[str, Any], context: Context
) -> None:
    policy_place.set_policy(STRICT)
    write_agent(policy_place, "free", "mode: auto")
    deps = await policy_place.open(options, context)
    assert deps.policy.mode == "ask"


def write_agent(policy_place: PolicyPlace, name: str, front: str) -> None:
    content = f"---\ndescription: Free.\n{front}\n---\nDo as you like.\n"
    policy_place.write_project(f".llc/agents/{name}.md", content)


MODELS = {
    "providers": ["openai", "scripted"],
    "models": ["openai/gpt-*", "scripted/*"],
    "hosts": ["api.openai.com"],
}


@pytest.mark.parametrize(
    ("options", "key"),
    [
        ({"model": "anthropic/claude-sonnet-4-5"}, "providers"),
        ({"model": "openai/o3"}, "models"),
        ({"model": "openai/o3-gpt-4"}, "models"),
        ({"turn_model": "anthropic/claude-sonnet-4-5"}, "providers"),
        ({"model": "openai/gpt-5", "base_url": "https://evil.example/v1"}, "hosts"),
        ({"model": "openai/gpt-5", "base_url": "https://api.openai.com@evil.example/v1"}, "hosts"),
        ({"model": "openai/gpt-5", "base_url": "https://api.openai.com.evil.example/v1"}, "hosts"),
        ({"model": "openai/gpt-5", "base_url": "http://127.0.0.1:9/v1"}, "hosts"),
        ({"model": "program/Own"}, "providers"),
        ({"model": "ollama/llama3"}, "providers"),
    ],
)
async def test_no_option_of_a_thread_reaches_another_model(
    policy_place: PolicyPlace, options: dict[str, Any], key: str
) -> None:
    policy_place.set_policy(MODELS)
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        policy_place.patch.setenv(name, "sk-test-0123456789")
    with pytest.raises(UsageError, match=f"policy.yaml:.*{_name_of(key)}|not a provider"):
        await policy_place.open(options)


def _name_of(key: str) -> str:
    return {"providers": "provider", "models": "model", "hosts": "host"}[key]


@pytest.mark.parametrize(
    ("keys", "environment"),
    [
        ({"litellm": {"base_url": "https://evil.example/v1"}}, {}),
        ({"litellm": {"provider": "openai", "base_url": "https://evil.example"}}, {}),
        ({}, {"OPENAI_BASE_URL": "https://evil.example/v1"}),
        ({}, {"LLC_BASE_URL": "https://evil.example/v1"}),
        ({"model": {"default": "anthropic/claude-sonnet-4-5"}}, {"ANTHROPIC_API_KEY": "sk-1"}),
    ],
)
async def test_no_setting_reaches_another_model(
    policy_place: PolicyPlace, keys: dict[str, Any], environment: dict[str, str]
) -> None:
    policy_place.set_policy(MODELS)
    policy_place.write_user(keys)
    policy_place.patch.setenv("OPENAI_API_KEY", "sk-test-0123456789")
    for name, value in environment.items():
        policy_place.patch.setenv(name, value)
    with pytest.raises(UsageError, match=r"policy\.yaml:"):
        await policy_place.open({"model": keys.get("model", {}).get("default", "openai/gpt-5")})


@pytest.mark.parametrize("front", ["model: anthropic/claude-sonnet-4-5", "model: openai/o3"])
async def test_no_front_matter_reaches_another_model(policy_place: PolicyPlace, front: str) -> None:
    policy_place.set_policy(MODELS)
    write_agent(policy_place, "free", front)
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        policy_place.patch.setenv(name, "sk-test-0123456789")
    policy_place.write_user({"model": {"default": "openai/gpt-5"}})
    with pytest.raises(UsageError, match=r"policy\.yaml:"):
        deps = await policy_place.open({"model": ""})
        open_agent(deps, "free")


RULES = {
    "permissions": {"deny": ["run_command(git push:*)", "webfetch"], "ask": ["run_command(make:*)"]}
}


@pytest.mark.parametrize(
    "keys",
    [
        {"permissions": {"allow": ["run_command", "webfetch"]}, "security": {"mode": "auto"}},
        {"permissions": {"allow": ["run_command(git push:*)", "run_command(make:*)"]}},
        {"security": {"command_whitelist": ["git push", "make"], "mode": "auto"}},
        {"security": {"require_command_confirmation": False}},
        {"security": {"require_confirmation": False}},
    ],
)
async def test_no_rule_of_the_user_allows_what_it_denies(
    policy_place: PolicyPlace, keys: dict[str, Any]
) -> None:
    policy_place.set_policy(RULES)
    policy_place.write_user(keys)
    deps = await policy_place.open()
    decisions = {
        command: evaluate_call(
            "run_command", "execute", {"command": command}, (), deps.workspace, deps.policy
        )
        for command in ("git push", "make all")
    }
    assert {each: decisions[each].verdict for each in decisions} == {
        "git push": "deny",
        "make all": "ask",
    }
    assert str(policy_place.file) in decisions["git push"].reason


@pytest.mark.parametrize(
    ("policy", "tool", "args"),
    [
        (
            {"sandbox": {"mode": "require"}},
            "run_command",
            {"command": "ls", "outside_sandbox": True},
        ),
        ({"web": {"enabled": False}}, "webfetch", {"url": "https://example.org/"}),
        ({"web": {"hosts": ["docs.example.org"]}}, "webfetch", {"url": "https://example.org/"}),
        ({"web": {"hosts": ["*.example.org"]}}, "webfetch", {"url": "https://example.org/"}),
        ({"web": {"hosts": ["example.org"]}}, "webfetch", {"url": "https://evilexample.org/"}),
        ({"web": {"hosts": ["example.org"]}}, "webfetch", {"url": "https://example.org.evil.net"}),
        ({"hosts": ["api.openai.com"]}, "webfetch", {"url": "https://example.org/"}),
    ],
)
async def test_no_call_does_what_it_forbids(
    policy_place: PolicyPlace, policy: dict[str, Any], tool: str, args: dict[str, Any]
) -> None:
    policy_place.set_policy(policy)
    policy_place.write_user({"permissions": {"allow": [tool]}, "security": {"mode": "auto"}})
    deps = await policy_place.open({"mode": "auto"})
    effect = "fetch" if tool == "webfetch" else "execute"
    decision = evaluate_call(tool, effect, args, (), deps.workspace, deps.policy)
    assert (decision.verdict, decision.rule) == ("deny", "policy")
    assert str(policy_place.file) in decision.reason


SERVERS = {
    "mcp_servers": [
        {"command": "/usr/bin/notes --root *", "env": ["NOTES_LANG"]},
        {"url": "https://mcp.example.org/v1/*"},
    ]
}


@pytest.mark.parametrize(
    "server",
    [
        {"command": "/usr/bin/other"},
        {"command": "notes", "args": ["--root", "/x"]},
        {"command": "/usr/bin/notes"},
        {"command": "/usr/bin/notes", "args": ["--root", "/x", "--exec", "sh"]},
        {"command": "/usr/bin/notes", "args": ["--root", "/x"], "env": {"LD_PRELOAD": "/tmp/a"}},
        {"command": "/usr/bin/notes", "args": ["--root", "/x"], "cwd": "/tmp"},
        {"url": "https://mcp.example.org.evil.net/v1/x"},
        {"url": "https://mcp.example.org@evil.net/v1/x"},
        {"url": "http://mcp.example.org/v1/x"},
        {"url": "https://mcp.example.org:8443/v1/x"},
        {"url": "https://mcp.example.org/v1/../admin"},
    ],
)
async def test_no_other_server_runs_under_an_allowed_name(
    policy_place: PolicyPlace, server: dict[str, Any]
) -> None:
    policy_place.set_policy(SERVERS)
    file = policy_place.folder / "xdg" / "maxagent" / "mcp_servers.json"
    file.parent.mkdir(parents=True)
    good = {"command": "/usr/bin/notes", "args": ["--root", "/x"], "env": {"NOTES_LANG": "en"}}
    file.write_text(json.dumps({"servers": {"notes": server, "real": good}}))

    servers = {each.name: each for each in load_servers(policy_place.project, policy_place.home)}

    assert servers["real"].is_usable
    assert "policy.yaml" in servers["notes"].problem
    policy_place.set_policy({"mcp_servers": []})  # it is looked at again where a server starts
    with pytest.raises(McpError, match=r"policy\.yaml"):
        await McpConnection(servers["real"], policy_place.home).list_definitions()


@pytest.mark.parametrize(
    ("allowed", "expected"),
    [("none", []), ("user", ["mine", "own_hook"]), ("all", ["mine"])],
)
async def test_no_other_hook_runs(
    policy_place: PolicyPlace, allowed: str, expected: list[str]
) -> None:
    from maxagent.config.settings.hooks import build_program_hooks

    def own_hook(payload: object) -> None:
        """Do nothing."""

    policy_place.set_policy({"hooks": allowed})
    mine = {"hooks": {"before_tool": [{"command": "mine"}]}, "ui": {"status_line": "date"}}
    policy_place.write_user(mine)
    theirs = json.dumps({"hooks": {"before_tool": [{"command": "theirs"}]}})
    policy_place.write_project(".llc.yaml", theirs)
    hooks = build_program_hooks({"before_tool": [own_hook]})
    deps = await policy_place.open(program_hooks=hooks)
    assert deps.settings.ui.status_line == ("" if allowed == "none" else "date")
    names = [hook.command.rpartition(".")[2] for hook in select_hooks(deps, "before_tool")]
    assert names[: len(expected)] == expected and bool(names) == bool(expected)
    assert ("theirs" in names) is (allowed == "all")


@pytest.mark.parametrize(
    "url",
    [
        "https://evil.example/",
        "https://api.example.org.evil.example/",
        "https://sub.api.example.org/",
        "http://127.0.0.1:9/",
        "https://api.example.org@evil.example/",
    ],
)
async def test_nothing_is_sent_to_another_host(policy_place: PolicyPlace, url: str) -> None:
    policy_place.set_policy({"hosts": ["api.example.org"]})
    async with open_client(ResponseLimits(1000)) as client:
        with pytest.raises(RefusedAddressError, match="policy"):
            await client.get(url)


def load_policy() -> ManagedPolicy:
    policy = load_managed_policy()
    assert policy
    return policy


WRONG_FILES = {
    "no YAML": "mode: [",
    "a list": "- mode",
    "an unknown key": "modes: ask\n",
    "an unknown key below": "sandbox: {mod: require}\n",
    "a loosening mode": "sandbox: {mode: off}\n",
    "network opened": "sandbox: {network: true}\n",
    "an allow rule": "permissions: {allow: [run_command]}\n",
    "an unknown mode": "mode: free\n",
    "a number as a text": 'limits: {turns: "many"}\n',
    "no turns": "limits: {turns: 0}\n",
    "a server by name": "mcp_servers: [{name: notes}]\n",
    "a relative command": "mcp_servers: [{command: npx notes}]\n",
    "a URL as a host": 'hosts: ["https://api.openai.com"]\n',
    "no UTF-8": "mode: \udcff",
}


@pytest.mark.parametrize("content", [*WRONG_FILES.values()], ids=[*WRONG_FILES])
async def test_nothing_runs_under_a_policy_that_is_not_understood(
    policy_place: PolicyPlace, content: str
) -> None:
    policy_place.set_policy({})
    policy_place.file.write_bytes(content.encode(errors="surrogateescape"))
    with pytest.raises(UsageError, match=r"policy\.yaml` cannot be used, so nothing runs"):
        await policy_place.open()


@pytest.mark.parametrize("kind", ["folder", "dangling link", "file in its place"])
async def test_nothing_runs_under_a_policy_that_cannot_be_read(
    policy_place: PolicyPlace, kind: str
) -> None:
    policy_place.set_policy({})
    policy_place.file.unlink()
    if kind == "folder":
        policy_place.file.mkdir()
    elif kind == "dangling link":
        policy_place.file.symlink_to("nowhere")
    else:
        policy_place.file.parent.rmdir()
        policy_place.file.parent.write_text("")
    with pytest.raises(UsageError, match="cannot be used, so nothing runs"):
        await policy_place.open()


async def test_policy_behind_links_counts(policy_place: PolicyPlace) -> None:
    policy_place.set_policy({"mode": "read-only"})
    generation = policy_place.folder / "generation"
    policy_place.file.parent.rename(generation)
    policy_place.file.parent.symlink_to("generation")
    (generation / "policy.yaml").rename(generation / "data.yaml")
    (generation / "policy.yaml").symlink_to("data.yaml")
    assert policy_place.load(**{"security.mode": "auto"}).settings.security.mode == "read-only"


async def play(policy_place: PolicyPlace, **changes: Any) -> tuple[Any, str]:
    """Hold a conversation of eight model turns; return its last event and its thread."""
    script = policy_place.folder / "script.json"
    look = {"tool_calls": [{"name": "list_files", "args": {"path": "."}}]}
    script.write_text(json.dumps({"build": [*[look] * 8, {"text": "Done."}]}))
    options = {"model": f"scripted/{script}", "mode": "auto", **changes}
    async with Runner(home=policy_place.home) as runner:
        end = await last_of(runner.chat("Look.", folder=policy_place.project, options=options))
    return end, end.thread_id


@pytest.mark.parametrize("changes", [{}, {"max_turns": 500}, {"max_cost": 500.0}])
async def test_no_option_adds_turns(policy_place: PolicyPlace, changes: dict[str, Any]) -> None:
    policy_place.set_policy({"limits": {"turns": 3}})
    policy_place.write_user({"model": {"max_iterations": 1000}})
    end, _ = await play(policy_place, **changes)
    assert (end.type, end.kind) == ("question", "limit")


@pytest.mark.parametrize(
    "edit",
    [
        {"steps_allowed": 10_000},
        {"cost_allowed": 10_000.0, "steps_allowed": 10_000},
        {"steps": -10_000, "steps_allowed": 10_000},
        {"options": {"mode": "auto", "max_turns": 10_000}},
    ],
)
async def test_no_edit_of_the_state_adds_turns(
    policy_place: PolicyPlace, edit: dict[str, Any]
) -> None:
    policy_place.set_policy({"limits": {"turns": 2}, "mode": "ask"})
    _, thread = await play(policy_place)
    async with Runner(home=policy_place.home) as runner:
        graph = runner._graph_of(CHAT)
        config: Any = {"configurable": {"thread_id": thread}}
        if "options" in edit:
            state = await graph.aget_state(config)
            edit = {"options": {**state.values["options"], **edit["options"]}}
        # as Studio does it
        await graph.aupdate_state(config, edit, as_node="listen")
        events: list[Any] = [event async for event in runner.resume(thread)]
    assert events[0].mode == "ask"
    assert (events[-1].type, events[-1].kind) == ("question", "limit")


def build_answer(tokens: int | None) -> Any:
    from langchain_core.messages import AIMessage

    usage = tokens and {"input_tokens": tokens, "output_tokens": 0, "total_tokens": tokens}
    return AIMessage("x", usage_metadata=usage or None)


@pytest.mark.parametrize(
    "keys",
    [
        {"model": {"models": {"openai/gpt-4o": {"price": {"input": 0, "output": 0}}}}},
        {"model": {"models": {"gpt-4o": {"price": {"input": 0.0001, "output": 0}}}}},
    ],
)
@pytest.mark.parametrize("tokens", [1_000_000, None])
async def test_no_price_of_the_user_makes_a_model_cheap(
    policy_place: PolicyPlace, keys: dict[str, Any], tokens: int | None
) -> None:
    policy_place.set_policy({"limits": {"cost": 0.1}})
    policy_place.write_user(keys)
    policy_place.patch.setenv("OPENAI_API_KEY", "sk-test-0123456789")
    deps, meter = await policy_place.open({"model": "openai/gpt-4o"}), RunMeter()
    record_request(deps.model, build_answer(tokens), meter)
    assert meter.cost > 0.1


async def test_a_model_without_a_price_is_refused_under_a_limit(policy_place: PolicyPlace) -> None:
    policy_place.set_policy({"limits": {"cost": 1}})
    policy_place.patch.setenv("OPENAI_API_KEY", "sk-test-0123456789")
    deps = await policy_place.open({"model": "openai/of-nobody"})
    with pytest.raises(UsageError, match=r"policy\.yaml:.*price of `openai/of-nobody`"):
        check_request(deps.model)


@pytest.mark.parametrize("trick", ["none", "MAXAGENT_HOME", "HOME", "TZ", "negative line"])
async def test_no_other_home_begins_a_new_day(policy_place: PolicyPlace, trick: str) -> None:
    ledger = policy_place.folder / "ledger"
    policy_place.set_policy({"limits": {"requests_per_day": 2, "ledger": str(ledger)}})
    deps = await policy_place.open()
    for _ in range(2):
        check_request(deps.model)
        record_request(deps.model, build_answer(5))
    if trick == "negative line":
        file = next(ledger.iterdir())
        file.write_text(f"{file.read_text()}-5000\n")
    elif trick != "none":
        value = "Pacific/Kiritimati" if trick == "TZ" else str(policy_place.folder)
        policy_place.patch.setenv(trick, value)
    with pytest.raises(UsageError, match=r"policy\.yaml:.*2 requests a day"):
        check_request(deps.model)


async def test_no_young_thread_is_deleted_and_no_old_one_kept(policy_place: PolicyPlace) -> None:
    policy_place.set_policy({"retention": {"keep_days": 30}})
    _, thread = await play(policy_place)
    async with Runner(home=policy_place.home) as runner:
        with pytest.raises(UsageError, match="keeps threads for 30 days"):
            runner.threads.delete(thread)
    policy_place.set_policy({"retention": {"delete_days": 1e-9}})
    end, new = await play(policy_place)
    async with Runner(home=policy_place.home) as runner:
        assert [row.thread_id for row in runner.threads.list()] == [new]
    assert end.type == "completion"


def test_no_variable_names_another_policy(policy_place: PolicyPlace, tmp_path: Path) -> None:
    policy_place.set_policy({"mode": "read-only"})
    empty = tmp_path / "empty.yaml"
    empty.write_text("")
    for name in ("MAXAGENT_POLICY", "LLC_POLICY", "MAXAGENT_POLICY_FILE", "LLC_POLICY__MODE"):
        policy_place.patch.setenv(name, str(empty))
    policy_place.write_project("etc/maxagent/policy.yaml", "mode: auto\n")
    assert load_policy().keys.mode == "read-only"
    assert policy_place.load(**{"security.mode": "auto"}).settings.security.mode == "read-only"
