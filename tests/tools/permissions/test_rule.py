from pathlib import Path

import pytest
from rule_texts import project, rule, ruled

from maxagent.config.settings.permission_rules import RawRule
from maxagent.tools.mcp.server_config import McpServer
from maxagent.tools.mcp.tool_names import make_tool_name
from maxagent.tools.permissions.call import RequestedCall
from maxagent.tools.permissions.evaluate import evaluate_call
from maxagent.tools.permissions.policy import Policy, read_rules
from maxagent.tools.permissions.rule import find_allowing_rules


@pytest.mark.parametrize(
    ("text", "tool", "effect", "about"),
    [
        ("run_command", "run_command", "execute", True),
        ("run_command(*)", "run_command", "execute", True),
        ("Bash(make:*)", "run_command", "execute", True),
        ("Bash(git:*)", "run_command", "execute", False),
        ("edit", "write_file", "edit", True),
        ("Edit(src/**)", "apply_patch", "edit", True),
        ("Edit(docs/**)", "apply_patch", "edit", False),
        ("write_file(src/**)", "edit", "edit", False),
        ("write_file(src/**)", "write_file", "edit", True),
        ("Write(src/**)", "write_file", "edit", True),
        ("Read(src/**)", "grep", "read", True),
        ("read_file(src/*)", "read_file", "read", True),
        ("grep(src/**)", "read_file", "read", False),
        ("edit", "read_file", "read", False),
        ("WebFetch(domain:example.org)", "webfetch", "fetch", True),
        ("webfetch(domain:example.com)", "webfetch", "fetch", False),
        ("mcp_files_*", "mcp_files_read", "execute", True),
        ("mcp_files_*", "mcp_files2_read", "execute", False),
        ("mcp_*", "mcp_files_read", "execute", True),
        ("mcp_files_read", "mcp_files_read", "execute", True),
        ("mcp_files_read", "mcp_files_read_all", "execute", False),
        ("mcp__files__*", "mcp_files_read", "execute", True),
        ("MCP__Files__*", "mcp_Files_Read", "execute", True),
        ("mcp_*", "run_command", "execute", False),
        ("ask_user", "ask_user", "talk", True),
    ],
)
def test_rule_matches_its_tool_by_any_name(
    text: str, tool: str, effect: str, about: bool, tmp_path: Path
) -> None:
    args = {"command": "make x", "url": "https://example.org"}
    call = RequestedCall(tool, effect, args, ["src/a.py"], project(tmp_path))
    assert bool(rule(f"deny {text}").matches_call(call)) == about
    assert bool(find_allowing_rules([rule(text)], call)) == about


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "write a rule as"),
        ("run_command(git:*", "write a rule as"),
        ("run command(x)", "write a rule as"),
        ("run_command()", "brackets are empty"),
        ("runcommand2(x)", "is not a tool; did you mean `run_command`"),
        ("qqq", "is not a tool; available: read_file"),
        ("*", "is not a tool"),
        ("todowrite(x)", "not take a pattern"),
        ("mcp_files_read(x)", "not take a pattern"),
        ("edit(../x)", "leads out"),
        ("webfetch(example.org)", "domain:"),
    ],
)
def test_a_rule_that_cannot_be_understood_says_why(text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        rule(f"deny {text}")


def test_every_command_of_line_needs_an_allow_rule(tmp_path: Path) -> None:
    call = RequestedCall(
        "run_command", "execute", {"command": "make a && npm test"}, (), project(tmp_path)
    )
    make, npm = rule("run_command(make:*)"), rule("run_command(npm test)")
    assert find_allowing_rules([make, npm], call) == [make, npm]
    assert find_allowing_rules([make], call) == find_allowing_rules([npm], call) == []


def test_every_file_of_a_patch_must_be_allowed(tmp_path: Path) -> None:
    call = RequestedCall("apply_patch", "edit", {}, ["src/a.py", "docs/b.md"], project(tmp_path))
    src, docs = rule("edit(src/**)"), rule("edit(docs/*)")
    assert find_allowing_rules([src, docs], call) and not find_allowing_rules([src], call)


@pytest.mark.parametrize(
    "command",
    [
        "make > out",
        "make $(id)",
        "X=1 make",
        "sudo make",
        "make &",
        "(make)",
        "if make; then :; fi",
    ],
)
def test_only_a_plain_line_is_allowed(command: str, tmp_path: Path) -> None:
    call = RequestedCall("run_command", "execute", {"command": command}, (), project(tmp_path))
    assert find_allowing_rules([rule("run_command(*)"), rule("run_command(make:*)")], call) == []


def test_call_without_file_matches_no_allow_pattern(tmp_path: Path) -> None:
    call = RequestedCall("edit", "edit", {}, (), project(tmp_path))
    assert not find_allowing_rules([rule("edit(**)")], call)


def test_search_without_folder_means_whole_project(tmp_path: Path) -> None:
    call = RequestedCall("grep", "read", {"regex": "x"}, (), project(tmp_path))
    assert rule("deny read_file(**)").matches_call(call)


def build_server(name: str, owner: str) -> McpServer:
    source = "/home/u/.config/maxagent/mcp_servers.json" if owner == "user" else "/p/.mcp.json"
    return McpServer(name, "stdio", name, source=source, from_project=owner == "project")


def decide(folder: Path, policy: Policy, servers: list[McpServer], server: str, tool: str) -> str:
    name = make_tool_name(server, tool)
    known = policy.with_servers(servers)
    workspace = project(folder) if not (folder / "project").exists() else None
    if workspace is None:
        from maxagent.tools.workspace import Workspace

        workspace = Workspace(folder / "project")
    return evaluate_call(name, "execute", {}, (), workspace, known, server).verdict


@pytest.mark.parametrize(
    ("rule", "server", "owner", "tool", "others", "verdict"),
    [
        # the user's own servers: by name, and by patterns of their names
        ("mcp_github_*", "github", "user", "push", [], "allow"),
        ("mcp_github_push", "github", "user", "push", [], "allow"),
        ("mcp__github__*", "github", "user", "push", [], "allow"),
        ("mcp_git*", "github", "user", "push", [], "allow"),
        ("mcp_*_read", "files", "user", "read", [], "allow"),
        ("mcp_*", "files", "user", "read", [], "allow"),
        ("mcp_my-db_*", "my-db", "user", "echo", [], "allow"),
        # a wildcard does not run over the end of a server's name
        ("mcp__github", "github", "user", "push", [], "allow"),
        ("mcp_github", "github", "user", "push", [], "allow"),
        ("mcp__my-db", "my-db", "user", "echo", [], "allow"),
        ("MCP__GitHub", "github", "user", "push", [], "allow"),
        ("mcp__db", "db", "project", "echo", [], "allow"),
        ("mcp__github", "github_helper", "user", "push", [], "ask"),
        ("mcp__git", "github", "user", "push", [], "ask"),
        ("mcp_github_*", "github_helper", "user", "push", [], "ask"),
        ("mcp_github_*", "github_helper", "project", "push", [], "ask"),
        ("mcp_github_*", "github-helper", "project", "push", [], "ask"),
        ("mcp_db_*", "db_evil", "project", "echo", [], "ask"),
        ("mcp_a_*", "a_b", "project", "c", ["a"], "ask"),
        ("mcp_github_p*", "github_p", "project", "push", [], "ask"),
        # a project's server must be named in full
        ("mcp_git*", "github", "project", "push", [], "ask"),
        ("mcp_*_read", "files", "project", "read", [], "ask"),
        ("mcp_db_echo", "db", "project", "echo", [], "allow"),
        ("mcp_db_*", "db", "project", "echo", [], "allow"),
        ("mcp_*", "db", "project", "echo", [], "allow"),
        # a rule that names the user's own server is about that one
        ("mcp_github_helper_*", "github", "project", "helper_x", ["github_helper"], "ask"),
        ("mcp_my_db_*", "my_db", "project", "echo", ["My_DB"], "ask"),
        ("mcp_my_db_echo", "My_DB", "project", "echo", ["my__db"], "ask"),
        ("mcp_db_echo", "other", "user", "echo", [], "ask"),
    ],
)
def test_written_rule_allows_the_server_it_names(
    rule: str, server: str, owner: str, tool: str, others: list[str], verdict: str, tmp_path: Path
) -> None:
    servers = [build_server(server, owner), *(build_server(name, "user") for name in others)]
    found = decide(tmp_path, ruled("ask", rule), servers, server, tool)
    assert found == verdict


@pytest.mark.parametrize("rule", ["deny mcp_github_*", "deny mcp_*helper*"])
def test_deny_rule_stays_wide(rule: str, tmp_path: Path) -> None:
    servers = [build_server("github_helper", "project")]
    assert decide(tmp_path, ruled("auto", rule), servers, "github_helper", "x") == "deny"


@pytest.mark.parametrize(
    "other",
    [
        McpServer("db", "stdio", "evil", source="/p/.mcp.json", from_project=True),
        McpServer("db", "stdio", "db", ("--all",), source="/p/.mcp.json", from_project=True),
        McpServer("db", "stdio", "db", env={"NODE_OPTIONS": "-r ./x"}, source="/p/.mcp.json"),
        McpServer("db", "http", url="https://evil.example", source="/p/.mcp.json"),
        McpServer("db", "stdio", "db", source="/q/.mcp.json", from_project=True),
        McpServer("db", "stdio", "db", cwd="sub", source="/p/.mcp.json", from_project=True),
    ],
)
@pytest.mark.parametrize("mode", ["ask", "auto"])
def test_answer_covers_only_the_same_entry(other: McpServer, mode: str, tmp_path: Path) -> None:
    from maxagent.tools.mcp.server_origins import find_server_origins

    workspace = project(tmp_path)
    own = build_server("db", "project")
    consent = tuple(item.provenance for item in find_server_origins(own, workspace.root))
    rules = read_rules([RawRule("allow", "mcp_db_echo", "x", consent=consent)], workspace)
    policy = Policy(mode, rules)  # type: ignore[arg-type]

    def ask(server: McpServer) -> tuple[str, str]:
        known = policy.with_servers([server])
        found = evaluate_call("mcp_db_echo", "execute", {}, (), workspace, known, "db")
        return found.verdict, found.rule

    assert ask(own) == ("allow", "allow mcp_db_echo (x)")
    assert ask(other) == ("ask", "consent")


@pytest.mark.parametrize(
    ("rule", "tool", "verdict"),
    [
        ("deny use_mcp_tool", "push", "deny"),
        ("deny UseMcpTool", "push", "deny"),
        ("ask use_mcp_tool", "push", "ask"),
        ("deny mcp__github", "push", "deny"),
        ("deny MCP__GitHub", "push", "deny"),
        ("deny mcp_github", "push", "deny"),
        ("deny mcp__gitlab", "push", "allow"),
        ("deny mcp__git", "push", "allow"),
    ],
)
@pytest.mark.parametrize("is_configured", [True, False])
def test_deny_rule_holds_without_the_server(
    rule: str, tool: str, verdict: str, is_configured: bool, tmp_path: Path
) -> None:
    servers = [build_server("github", "user")] if is_configured else []
    server = "github"
    known = ruled("auto", rule).with_servers(servers)
    workspace = project(tmp_path)
    name = make_tool_name(server, tool)
    given = server if is_configured else ""
    assert evaluate_call(name, "execute", {}, (), workspace, known, given).verdict == verdict


def test_allow_rule_on_use_mcp_tool_allows_no_server(tmp_path: Path) -> None:
    servers = [build_server("github", "user")]
    assert decide(tmp_path, ruled("ask", "use_mcp_tool"), servers, "github", "push") == "ask"


@pytest.mark.parametrize(
    ("text", "command", "verdict"),
    [
        ("deny run_shell_command(git push)", "git push origin main", "deny"),
        ("deny run_shell_command(rm -rf)", "rm -rf build", "deny"),
        ("ask shell(npm publish)", "npm publish --tag next", "ask"),
        ("deny shell(git push)", "git -C sub push", "deny"),
        ("deny Shell(git push)", "git pushx", "ask"),
        ("deny Bash(rm)", "rm -r build", "deny"),
        ("deny run_command(terraform)", "terraform apply", "deny"),
        ("ask Bash(ssh)", "ssh host ls", "ask"),
        ("deny Bash(rm)", "rmdir build", "allow"),
        ("deny Bash(make all)", "make all install", "allow"),
        ("deny Bash('make && make x')", "make", "allow"),
    ],
)
def test_refusing_rule_means_what_it_does_elsewhere(
    text: str, command: str, verdict: str, tmp_path: Path
) -> None:
    args, workspace = {"command": command}, project(tmp_path)
    decision = evaluate_call("run_command", "execute", args, (), workspace, ruled("auto", text))
    assert decision.verdict == verdict


@pytest.mark.parametrize("text", ["shell(git push)", "run_shell_command(npm run)", "Bash(npm)"])
def test_allowing_rule_stays_exact(text: str, tmp_path: Path) -> None:
    command = f"{text.partition('(')[2].rstrip(')')} x"
    args, workspace = {"command": command}, project(tmp_path)
    decision = evaluate_call("run_command", "execute", args, (), workspace, ruled("ask", text))
    assert decision.verdict == "ask"
