from pathlib import Path

import pytest

from maxagent.config.settings.permission_rules import RawRule, RuleKind
from maxagent.tools.permissions.evaluate import evaluate_call
from maxagent.tools.permissions.policy import Policy, read_rules
from maxagent.tools.workspace import Workspace

SERVERS = {"docs": "https://rag.example/v1", "code": "http://localhost:8000"}


def decide(folder: Path, value: str, *rules: tuple[RuleKind, str], mode: str = "auto"):
    workspace = Workspace(folder)
    written = read_rules([RawRule(kind, text, "x:1") for kind, text in rules], workspace)
    policy = Policy(mode, written, servers=SERVERS)  # type: ignore[arg-type]
    args = {"server_name": value, "query": "what?"}
    return evaluate_call("use_rag_tool", "fetch", args, (), workspace, policy)


@pytest.mark.parametrize(
    ("text", "rules", "verdict"),
    [
        ("docs", [], "ask"),
        ("docs", [("allow", "use_rag_tool(docs)")], "allow"),
        ("https://rag.example/v1/", [("allow", "use_rag_tool(docs)")], "allow"),
        ("code", [("allow", "use_rag_tool(docs)")], "ask"),
        ("https://rag.example/v1", [("deny", "use_rag_tool(do*)")], "deny"),
        ("code", [("allow", "use_rag_tool")], "allow"),
        ("https://evil.example", [("allow", "use_rag_tool")], "deny"),
        ("", [("allow", "use_rag_tool")], "deny"),
    ],
)
def test_rules_are_about_the_server(
    tmp_path: Path, text: str, rules: list[tuple[RuleKind, str]], verdict: str
) -> None:
    assert decide(tmp_path, text, *rules).verdict == verdict


@pytest.mark.parametrize("mode", ["ask", "edits", "auto", "read-only"])
def test_it_is_asked_in_every_mode_with_its_address(tmp_path: Path, mode: str) -> None:
    decision = decide(tmp_path, "code", mode=mode)
    assert (decision.verdict, decision.always) == ("ask", "use_rag_tool(code)")
    assert decision.reason == "it asks the server `code` at http://localhost:8000"


def test_examples_of_a_rule_are_servers(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    rule = RawRule("allow", "use_rag_tool(do*)", "x:1", match=("docs",), not_match=("code",))
    assert read_rules([rule], workspace)
    with pytest.raises(Exception, match="does not match its example `code`"):
        read_rules([RawRule("allow", "use_rag_tool(do*)", "x:1", match=("code",))], workspace)
