from pathlib import Path

import pytest
from rule_texts import project, ruled

from maxagent.tools.mcp.server_config import McpServer
from maxagent.tools.permissions.evaluate import evaluate_call


@pytest.mark.parametrize(
    ("command", "rule"),
    [
        ("npm test", "npm test:*"),
        ("npm run build -- --watch", "npm run build:*"),
        ("git commit -m 'a b'", "git commit:*"),
        ("git status && git commit -m x", "git commit:*"),
        ("pytest -x tests", "pytest:*"),
        ("python -m pytest -x", "python -m pytest:*"),
        ("cargo test --all", "cargo test:*"),
        ("npm test 2>&1 | tail -5", "npm test:*"),
        ("npm install", "npm install"),
        ("git push origin main", "git push origin main"),
        ("make all", "make all"),
        ("python build.py", "python build.py"),
        ("rm 'a b'", "rm 'a b'"),
        ("touch 'a*'", "touch 'a*'"),
        ("git -C sub commit", "git -C sub commit"),
        ("/usr/bin/make", "/usr/bin/make"),
        ("python -c 'print(1)'", ""),
        ("python3.11 -c 'print(1)'", ""),
        ("node -e 1", ""),
        ("echo 'print(1)' | python", ""),
        ("bash -c 'make'", ""),
        ("npx something", ""),
        ("sudo make", ""),
        ("env A=1 make", ""),
        ("A=1 make", ""),
        ("make > out", ""),
        ("make $TARGET", ""),
        ("make *.c", ""),
        ("make &", ""),
        ("make && npm test", ""),
        ("make\n\nls", ""),
        ("make 'unclosed", ""),
        ("echo x > AGENTS.md", ""),
        ("touch '${HOME}'", ""),
        ("touch " + "x" * 200, ""),
    ],
)
def test_the_narrowest_sensible_rule_for_a_command(command: str, rule: str, tmp_path: Path) -> None:
    workspace = project(tmp_path)
    call = ("run_command", "execute", {"command": command}, (), workspace)
    decision = evaluate_call(*call, ruled("ask"))
    assert (decision.verdict, decision.always) == ("ask", rule and f"run_command({rule})")
    assert not rule or evaluate_call(*call, ruled("ask", decision.always)).verdict == "allow"


def test_what_runs_outside_the_sandbox_is_never_always(tmp_path: Path) -> None:
    args = {"command": "npm test", "outside_sandbox": True}
    decision = evaluate_call("run_command", "execute", args, (), project(tmp_path), ruled("ask"))
    assert (decision.verdict, decision.always) == ("ask", "")


@pytest.mark.parametrize(
    ("paths", "rule"),
    [
        (["a.py"], "edit(/ROOT/a.py)"),
        (["./src/a.py"], "edit(/ROOT/src/a.py)"),
        (["src/a.py", "src/b.py"], "edit(/ROOT/src/**)"),
        (["src/a.py", "docs/b.md"], ""),
        (["a.py", "b.py"], ""),
        (["src/[a].py"], ""),
        (["link.py"], ""),
        (["AGENTS.md"], ""),
        (["文档/说明.md"], "edit(/ROOT/文档/说明.md)"),
        (["café.py"], "edit(/ROOT/café.py)"),
        (["cafe\u0301.py"], ""),
        (["a\u200b.py"], ""),
        (["a\u3000b.py"], ""),
    ],
)
def test_the_narrowest_rule_for_an_edit(paths: list[str], rule: str, tmp_path: Path) -> None:
    workspace = project(tmp_path)
    rule = rule.replace("ROOT", str(workspace.root))  # of no other project
    (workspace.root / "link.py").symlink_to("a.py")
    decision = evaluate_call("apply_patch", "edit", {}, paths, workspace, ruled("ask"))
    assert (decision.verdict, decision.always) == ("ask", rule)
    allowed = evaluate_call(
        "apply_patch", "edit", {}, paths, workspace, ruled("ask", rule or "grep")
    )
    assert allowed.verdict == ("allow" if rule else "ask")


@pytest.mark.parametrize(
    ("tool", "effect", "args", "rule"),
    [
        ("webfetch", "fetch", {"url": "https://Example.org/a"}, "webfetch(domain:example.org)"),
        ("mcp_files_read", "execute", {"path": "x"}, ""),  # its server is not known
        ("ask_user", "talk", {"question": "?"}, ""),
    ],
)
def test_the_narrowest_rule_for_other_tools(
    tool: str, effect: str, args: dict[str, object], rule: str, tmp_path: Path
) -> None:
    decision = evaluate_call(tool, effect, args, (), project(tmp_path), ruled("ask"))
    assert (decision.verdict, decision.always) == ("ask", rule)


def test_rule_for_tool_of_known_server_is_its_name(tmp_path: Path) -> None:
    policy = ruled("ask").with_servers([McpServer("files", "stdio", "serve", source="/x.json")])
    decision = evaluate_call(
        "mcp_files_read", "execute", {}, (), project(tmp_path), policy, server="files"
    )
    assert (decision.verdict, decision.always) == ("ask", "mcp_files_read")
