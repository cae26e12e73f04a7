from pathlib import Path

import pytest
from rule_texts import project

from maxagent.config.agents.profile import AgentProfile
from maxagent.config.errors import UsageError
from maxagent.config.settings.loader import LoadedSettings, load_settings
from maxagent.config.settings.permission_rules import RawRule
from maxagent.config.settings.schema import SecuritySection, Settings
from maxagent.tools.definition import Effect
from maxagent.tools.permissions.evaluate import evaluate_call
from maxagent.tools.permissions.policy import Policy, build_policy, check_examples
from maxagent.tools.permissions.rule import read_rule
from maxagent.tools.workspace import Workspace


def check(folder: Path, kind: str, text: str, match: list[str], not_match: list[str]) -> None:
    written = RawRule(kind, text, "test", tuple(match), tuple(not_match))
    check_examples(read_rule(written), written, project(folder))


@pytest.mark.parametrize(
    ("kind", "text", "match", "not_match"),
    [
        ("allow", "run_command(git diff:*)", ["git diff --stat"], ["git diff > x", "git push"]),
        ("allow", "run_command(make:*)", ["make && make test"], ["make && npm test"]),
        ("deny", "run_command(git push:*)", ["x && git push", "$(git push)"], ["git pull"]),
        ("deny", "edit(src/**)", ["src/a.py"], ["docs/a.md"]),
        ("allow", "webfetch(domain:*.x.org)", ["www.x.org", "https://a.x.org/b"], ["x.org"]),
        ("ask", "mcp_files_*", ["mcp_files_read"], ["mcp_git_log"]),
    ],
)
def test_right_examples_pass(
    kind: str, text: str, match: list[str], not_match: list[str], tmp_path: Path
) -> None:
    check(tmp_path, kind, text, match, not_match)


@pytest.mark.parametrize(
    ("kind", "text", "match", "not_match", "sentence"),
    [
        (
            "allow",
            "run_command(git diff:*)",
            ["git log"],
            [],
            "not match its example `git log` und",
        ),
        ("allow", "run_command(make:*)", ["make > out"], [], "`make > out` under `match`"),
        (
            "deny",
            "run_command(rm:*)",
            [],
            ["a; rm b"],
            "matches its example `a; rm b` under `not_m",
        ),
        ("deny", "edit(src/**)", ["source/a.py"], [], "`source/a.py` under `match`"),
        ("allow", "webfetch(domain:x.org)", ["y.org"], [], "`y.org`"),
    ],
)
def test_a_wrong_example_is_named(
    kind: str, text: str, match: list[str], not_match: list[str], sentence: str, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=sentence):
        check(tmp_path, kind, text, match, not_match)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


def policy(home: Path, text: str, **environ: str) -> Policy:
    (home / "config.yaml").write_text(text)
    workspace = Workspace(home)
    return build_policy(load_settings(home, home, environ=environ), workspace, usual="ask")


@pytest.mark.parametrize(
    ("security", "mode"),
    [
        ({}, "ask"),
        ({"mode": "auto"}, "auto"),
        ({"require_confirmation": False}, "auto"),
        ({"require_confirmation": False, "mode": "edits"}, "edits"),
    ],
)
def test_mode_is_configured_or_default(
    security: dict[str, object], mode: str, tmp_path: Path
) -> None:
    loaded = LoadedSettings(Settings(security=SecuritySection.model_validate(security)), {})
    assert build_policy(loaded, Workspace(tmp_path), usual="ask").mode == mode


def test_whitelist_equals_allow_rules(home: Path) -> None:
    rules = policy(home, "security:\n  command_whitelist: ['make  test', '']\n").rules
    origin = f"{home}/config.yaml:2"
    assert [(r.kind, r.text, r.origin) for r in rules] == [
        ("allow", "run_command(make  test:*)", origin)
    ]
    args = {"command": "make test all"}
    allowed = Policy("ask", rules)
    decision = evaluate_call("run_command", "execute", args, (), Workspace(home), allowed)
    assert (decision.verdict, decision.rule) == (
        "allow",
        f"allow run_command(make  test:*) ({origin})",
    )


def test_every_broken_rule_is_fatal_with_its_place(home: Path) -> None:
    text = (
        "permissions:\n"
        "  deny:\n"
        "    - run_command(git push:*)\n"
        "    - run_commander(x)\n"
        "  allow:\n"
        "    - rule: run_command(git diff:*)\n"
        "      match: [git log]\n"
    )
    with pytest.raises(UsageError) as raised:
        policy(home, text, LLC_PERMISSIONS__ASK="[edit()]")
    lines = raised.value.message.splitlines()
    assert lines[0] == "3 mistakes in the configuration:"
    file = home / "config.yaml"
    assert lines[1].startswith(f"  {file}:4: deny rule `run_commander(x)`: `run_commander` is no")
    assert lines[2].startswith(
        f"  {file}:6: allow rule `run_command(git diff:*)`: it does not match"
    )
    assert lines[3].startswith("  environment LLC_PERMISSIONS__ASK: ask rule `edit()`:")


def test_wrong_check_pattern_fails_when_policy_is_built() -> None:
    with pytest.raises(UsageError, match="leads out of the folder"):
        Policy("ask", after_edit={"../*.py": ["ruff"]})


def agent(*files: str, rules: tuple[RawRule, ...] = (), under: AgentProfile | None = None):
    lines = {"files": 4}
    return AgentProfile(
        "a",
        "",
        "x",
        writable_files=files,
        permissions=rules,
        under=under,
        origin="a.md",
        lines=lines,
    )


def verdict(allowed: Policy, effect: Effect, folder: Path, **args: str) -> str:
    tool = {"edit": "write_file", "execute": "run_command", "read": "read_file"}[effect]
    paths = [args["path"]] if "path" in args else []
    decision = evaluate_call(tool, effect, args, paths, Workspace(folder), allowed)
    return f"{decision.verdict} {decision.rule}".rstrip()


def test_under_an_agent_its_rules_count_as_well(tmp_path: Path) -> None:
    profile = agent(rules=(RawRule("deny", "run_command(make)", "a.md:3"),))
    allowed = Policy("auto").with_agent(profile, Workspace(tmp_path))
    assert verdict(allowed, "execute", tmp_path, command="make") == (
        "deny deny run_command(make) (a.md:3)"
    )
    assert verdict(allowed, "execute", tmp_path, command="gcc a.c").startswith("allow")


def test_agent_with_own_files_writes_no_others(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/link.md").symlink_to(tmp_path / "a.py")
    allowed = Policy("auto").with_agent(agent("docs/**", "*.txt"), Workspace(tmp_path))
    for path, expected in {
        "docs/a.md": "allow mode",
        "b/c.txt": "allow mode",
        "a.py": "deny agent",
        "docs/link.md": "deny agent",
    }.items():
        assert verdict(allowed, "edit", tmp_path, path=path) == expected, path
    assert verdict(allowed, "read", tmp_path, path="a.py").startswith("allow")
    assert verdict(allowed, "execute", tmp_path, command="git status").startswith("allow")
    assert verdict(allowed, "execute", tmp_path, command="make") == "ask agent"


def test_file_under_two_agents_must_match_both(tmp_path: Path) -> None:
    both = agent("docs/**", under=agent("*.md"))
    allowed = Policy("auto").with_agent(both, Workspace(tmp_path))
    assert verdict(allowed, "edit", tmp_path, path="docs/a.md") == "allow mode"
    assert verdict(allowed, "edit", tmp_path, path="docs/a.py") == "deny agent"
    assert verdict(allowed, "edit", tmp_path, path="a.md") == "deny agent"


def test_plan_mode_agent_writes_plan_outside_own_files(tmp_path: Path) -> None:
    allowed = (
        Policy("ask").with_agent(agent("docs/**"), Workspace(tmp_path)).with_plan(".llc/plans/a.md")
    )
    assert verdict(allowed, "edit", tmp_path, path=".llc/plans/a.md").startswith("allow")
    assert verdict(allowed, "edit", tmp_path, path="docs/a.md") == "deny plan"


def test_checks_after_edit_ignore_the_agents_file_limits(
    tmp_path: Path,
) -> None:
    policy = Policy("auto", after_edit={"*.md": ["mdfmt {file}"]})
    allowed = policy.with_agent(agent("*.md"), Workspace(tmp_path))
    assert verdict(allowed, "edit", tmp_path, path="a.md").startswith("allow")


def test_meaningless_file_pattern_is_reported_with_its_place(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"^a\.md:4: `~/x`: file patterns are relative"):
        Policy("ask").with_agent(agent("~/x"), Workspace(tmp_path))


@pytest.mark.parametrize(
    ("mode", "text", "above", "effective"),
    [
        ("auto", "", "", "auto"),
        ("auto", "ask", "", "ask"),
        ("ask", "edits", "", "ask"),
        ("auto", "edits", "read-only", "read-only"),
    ],
)
def test_agent_mode_is_only_ever_stricter(
    mode: str, text: str, above: str, effective: str, tmp_path: Path
) -> None:
    parent = AgentProfile("above", "", "You.", mode_limit=above)  # pyright: ignore[reportArgumentType]
    profile = AgentProfile("own", "", "You.", mode_limit=text)  # pyright: ignore[reportArgumentType]
    limited = Policy(mode).with_agent(profile.with_parent(parent), Workspace(tmp_path))  # pyright: ignore[reportArgumentType]
    assert limited.mode == effective
