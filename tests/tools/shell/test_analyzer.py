import os
import sys
from pathlib import Path

import pytest

from maxagent.tools.shell.analysis import SimpleCommand
from maxagent.tools.shell.analyzer import judge
from maxagent.tools.shell.parsing import syntax_tree
from maxagent.tools.workspace import Workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "data").touch()
    (tmp_path / ".env").touch()
    return Workspace(tmp_path)


def test_a_line_without_a_parser_is_asked(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "tree_sitter_bash", None)
    syntax_tree.forget_parser()
    try:
        found = judge("ls", ".", workspace)
    finally:
        syntax_tree.forget_parser()
    assert (found.verdict, found.rule, found.commands) == ("ask", "unparsed", ())


def test_the_strictest_finding_wins(workspace: Workspace) -> None:
    line = "echo x > AGENTS.md; curl x | sh; rm -rf /; cat README.md"
    assert judge(line, ".", workspace).rule == "catastrophe"
    assert judge(line.replace("rm -rf /", "ls"), ".", workspace).verdict == "ask"


def test_a_broken_line_is_still_refused_for_what_can_be_read_of_it(workspace: Workspace) -> None:
    assert judge("rm -rf / ; (", ".", workspace).verdict == "deny"
    assert judge("{rm,-rf,/}", ".", workspace).verdict == "deny"


@pytest.mark.parametrize("line", [r"rm -rf $'/\'", r"echo $'\\' ; rm x; echo '\'"])
def test_an_ansi_string_that_ends_elsewhere_in_bash_is_asked(
    line: str, workspace: Workspace
) -> None:
    found = judge(line, ".", workspace)
    assert (found.verdict, found.rule, found.plain) == ("ask", "unparsed", False)


def test_each_command_says_what_users_rules_need(workspace: Workspace) -> None:
    found = judge("npm test -- 'a b' && ls sub | wc -l", ".", workspace)
    assert found.commands == (
        SimpleCommand(("npm", "test", "--", "a b")),
        SimpleCommand(("ls", "sub"), reads=True),
        SimpleCommand(("wc", "-l"), reads=True),
    )
    assert found.plain and found.verdict is None


@pytest.mark.parametrize(
    "line",
    ["npm test > x", "A=1 npm test", "npm test $X", "npm test *", "sudo npm test", "npm test &"]
    + ["bash -c 'npm test'", "$(npm test)", "npm test <<< x", "time npm test", "f() { npm test; }"]
    + [
        "export X; npm test",
        "npm \\\ntest=\\\n=",
        "for x in a; do npm test; done",
        "npm test < x",
        "{ npm test; }",
        "LC_ALL=zh_CN.GBK npm test",
        "LC_ALL+=C npm test",
        "LC_ALL=$(id) npm test",
        "PAGER=cat; npm test",
        "GIT_PAGER=sh npm test",
        "LC_ALL=C PATH=. npm test",
        "export LANG=C",
    ],
)
def test_what_a_users_rule_may_not_allow_is_not_plain(line: str, workspace: Workspace) -> None:
    assert not judge(line, ".", workspace).plain


@pytest.mark.parametrize(
    "line",
    ["npm test", "npm test; npm test", "npm test || true", "npm \\\n test", "npm test 2>&1 | cat"]
    + ["LC_ALL=C npm test", "NO_COLOR=1 LANG=en_US.UTF-8 npm test", "PAGER=cat npm test"]
    + ["npm test >/dev/null", "npm test # all", "npm test\nnpm run x", "! npm test"],
)
def test_what_it_may_allow_is(line: str, workspace: Workspace) -> None:
    assert judge(line, ".", workspace).plain


def test_wrapped_commands_never_count_as_reading(workspace: Workspace) -> None:
    found = judge("sudo ls; echo $(ls)", ".", workspace)
    inner = [command for command in found.commands if command.words == ("ls",)]
    assert len(inner) == 2
    assert all(command.wrapped and not command.reads for command in inner)


def test_the_folder_it_runs_in_counts(workspace: Workspace) -> None:
    assert judge("cat data", "sub", workspace).verdict == "allow"
    assert judge("cat ../.env", "sub", workspace).rule == "sensitive"
    assert judge("rm -rf ..", "sub", workspace).rule == "catastrophe"
    assert judge("rm -rf .", "sub", workspace).verdict is None
    assert judge("cd sub && cat data && cd .. && cat .env", ".", workspace).rule == "sensitive"


@pytest.mark.skipif(os.geteuid() == 0, reason="every folder lets root in")
def test_a_folder_that_lets_nobody_in_leaves_the_rest_where_it_was(workspace: Workspace) -> None:
    assert judge("cd sub || cat ../x", ".", workspace).verdict == "allow"
    (workspace.root / "sub").chmod(0)
    found = judge("cd sub || cat ../x", ".", workspace)
    (workspace.root / "sub").chmod(0o700)
    assert (found.verdict, "can be entered" in found.reason) == (None, True)


def test_ten_thousand_characters_and_fifty_commands_are_the_most(workspace: Workspace) -> None:
    assert judge("echo " + "a" * 9_900, ".", workspace).verdict == "allow"
    assert judge("echo " + "a" * 10_000, ".", workspace).rule == "unparsed"
    assert judge(";".join(["ls"] * 50), ".", workspace).verdict == "allow"
    assert judge(";".join(["ls"] * 51), ".", workspace).rule == "unparsed"
    assert judge("echo" + " a" * 2_000, ".", workspace).rule == "unparsed"


def test_the_folder_that_is_guarded_is_the_workspaces_own(tmp_path: Path) -> None:
    for name in ("project", "home", "other"):
        (tmp_path / name).mkdir()
    (tmp_path / "way").symlink_to("home")
    workspace = Workspace(tmp_path / "project", own=tmp_path / "way")
    denied = {
        name: judge(f"cat {tmp_path}/{name}/config.yaml", ".", workspace).verdict == "deny"
        for name in ("home", "way", "other")
    }
    assert denied == {"home": True, "way": True, "other": False}


@pytest.mark.parametrize("line", ["ls *", "wc -l *", "du -sh * | sort -h"])
def test_looking_at_all_names_changes_none_whatever_is_among_them(
    line: str, workspace: Workspace
) -> None:
    (workspace.root / "AGENTS.md").touch()
    (workspace.root / "out").symlink_to("/etc")
    assert judge(line, ".", workspace).verdict is None
    assert judge(line.replace("*", "* > AGENTS.md"), ".", workspace).rule == "protected"
    assert judge("touch *", ".", workspace).rule == "protected"


@pytest.mark.parametrize(
    "line",
    ["ls == x; ./y }", "cat =~ x && ./y ]", "echo != a; b; ./y )", "git log == a; ./y; }"]
    + ["test x == a; ./y ]", "(ls == x; ./y )", "ls == x\n./y }", "[ x == @(a|b) ]"],
)
def test_what_the_grammar_takes_for_a_pattern_may_be_commands(
    line: str, workspace: Workspace
) -> None:
    found = judge(line, ".", workspace)
    assert (found.verdict, found.plain) == ("ask", False)
    assert judge(line.replace("./y", "rm -rf /"), ".", workspace).verdict != "allow"


def test_a_comparison_is_none_of_it(workspace: Workspace) -> None:
    assert judge("[ a == b ] && echo x == y", ".", workspace).verdict == "allow"
    assert judge("[[ a =~ ^(a|b)$ ]]", ".", workspace).verdict is None
    assert judge("ls == x; rm -rf / }", ".", workspace).verdict == "deny"


@pytest.mark.parametrize("line", ["find . <&- -delete", "rm -rf <&- /", "rm -rf 2>&- /"])
def test_what_stands_behind_a_closed_input_belongs_to_the_command(
    line: str, workspace: Workspace
) -> None:
    assert judge(line, ".", workspace).verdict == "deny"
    assert judge("ls 2>&-", ".", workspace).verdict == "allow"
    assert judge("sort <& -ox", ".", workspace).rule == "unparsed"


@pytest.mark.parametrize("line", ["ls 2>&- a\\", "ls a\\", "ls;&>/dev/null ls"])
def test_a_last_backslash_and_a_sign_of_case_are_not_what_they_seem(
    line: str, workspace: Workspace
) -> None:
    assert judge(line, ".", workspace).rule == "unparsed"
    assert judge("ls a; ls &>/dev/null", ".", workspace).verdict == "allow"


def test_a_tilde_behind_an_equals_sign_is_a_home(workspace: Workspace) -> None:
    assert judge("dd if=x of=~/.ssh/config", ".", workspace).verdict == "deny"
    assert judge("make x=~", ".", workspace).plain is False
    assert judge("make --x=~ a:~ 'x=~'", ".", workspace).plain is True


def test_the_folder_that_git_is_told_to_find_hooks_in_is_protected(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git/config").write_text("[core]\n\thooksPath = dev/hk # ours\n")
    workspace = Workspace(tmp_path)
    for line in ("cp x dev/hk/pre-commit", "echo x > dev/hk/pre-push", "rm -r dev/hk"):
        assert judge(line, ".", workspace).rule == "protected"
    assert judge("cp x dev/hooks.md", ".", workspace).verdict is None
