import os
import sys
from pathlib import Path

import pytest

from maxagent.tools.shell.analysis import AnalyzedCommand
from maxagent.tools.shell.analyzer import analyze_command
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
        command = analyze_command("ls", ".", workspace)
    finally:
        syntax_tree.forget_parser()
    assert (command.verdict, command.rule, command.commands) == ("ask", "unparsed", ())


def test_the_strictest_finding_wins(workspace: Workspace) -> None:
    line = "echo x > AGENTS.md; curl x | sh; rm -rf /; cat README.md"
    assert analyze_command(line, ".", workspace).rule == "catastrophe"
    assert analyze_command(line.replace("rm -rf /", "ls"), ".", workspace).verdict == "ask"


def test_broken_line_is_refused_for_readable_part(workspace: Workspace) -> None:
    assert analyze_command("rm -rf / ; (", ".", workspace).verdict == "deny"
    assert analyze_command("{rm,-rf,/}", ".", workspace).verdict == "deny"


@pytest.mark.parametrize("line", [r"rm -rf $'/\'", r"echo $'\\' ; rm x; echo '\'"])
def test_ansi_string_ending_elsewhere_in_bash_is_asked(line: str, workspace: Workspace) -> None:
    command = analyze_command(line, ".", workspace)
    assert (command.verdict, command.rule, command.plain) == ("ask", "unparsed", False)


def test_each_command_says_what_users_rules_need(workspace: Workspace) -> None:
    command = analyze_command("npm test -- 'a b' && ls sub | wc -l", ".", workspace)
    assert command.commands == (
        AnalyzedCommand(("npm", "test", "--", "a b")),
        AnalyzedCommand(("ls", "sub"), reads=True),
        AnalyzedCommand(("wc", "-l"), reads=True),
    )
    assert command.plain and command.verdict is None


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
def test_line_no_user_rule_allows_is_not_plain(line: str, workspace: Workspace) -> None:
    assert not analyze_command(line, ".", workspace).plain


@pytest.mark.parametrize(
    "line",
    ["npm test", "npm test; npm test", "npm test || true", "npm \\\n test", "npm test 2>&1 | cat"]
    + ["LC_ALL=C npm test", "NO_COLOR=1 LANG=en_US.UTF-8 npm test", "PAGER=cat npm test"]
    + ["npm test >/dev/null", "npm test # all", "npm test\nnpm run x", "! npm test"],
)
def test_what_it_may_allow_is(line: str, workspace: Workspace) -> None:
    assert analyze_command(line, ".", workspace).plain


def test_wrapped_commands_never_count_as_reading(workspace: Workspace) -> None:
    result = analyze_command("sudo ls; echo $(ls)", ".", workspace)
    inner = [command for command in result.commands if command.words == ("ls",)]
    assert len(inner) == 2
    assert all(command.wrapped and not command.reads for command in inner)


def test_the_folder_it_runs_in_counts(workspace: Workspace) -> None:
    assert analyze_command("cat data", "sub", workspace).verdict == "allow"
    assert analyze_command("cat ../.env", "sub", workspace).rule == "sensitive"
    assert analyze_command("rm -rf ..", "sub", workspace).rule == "catastrophe"
    assert analyze_command("rm -rf .", "sub", workspace).verdict is None
    assert (
        analyze_command("cd sub && cat data && cd .. && cat .env", ".", workspace).rule
        == "sensitive"
    )


@pytest.mark.skipif(os.geteuid() == 0, reason="every folder lets root in")
def test_cd_into_inaccessible_folder_is_not_allowed(workspace: Workspace) -> None:
    assert analyze_command("cd sub || cat ../x", ".", workspace).verdict == "allow"
    (workspace.root / "sub").chmod(0)
    command = analyze_command("cd sub || cat ../x", ".", workspace)
    (workspace.root / "sub").chmod(0o700)
    assert (command.verdict, "a folder you can enter" in command.reason) == (None, True)


def test_line_length_and_command_count_are_limited(workspace: Workspace) -> None:
    assert analyze_command("echo " + "a" * 9_900, ".", workspace).verdict == "allow"
    assert analyze_command("echo " + "a" * 10_000, ".", workspace).rule == "unparsed"
    assert analyze_command(";".join(["ls"] * 50), ".", workspace).verdict == "allow"
    assert analyze_command(";".join(["ls"] * 51), ".", workspace).rule == "unparsed"
    assert analyze_command("echo" + " a" * 2_000, ".", workspace).rule == "unparsed"


def test_own_folder_of_workspace_is_guarded(tmp_path: Path) -> None:
    for name in ("project", "home", "other"):
        (tmp_path / name).mkdir()
    (tmp_path / "way").symlink_to("home")
    workspace = Workspace(tmp_path / "project", own=tmp_path / "way")
    denied = {
        name: analyze_command(f"cat {tmp_path}/{name}/config.yaml", ".", workspace).verdict
        == "deny"
        for name in ("home", "way", "other")
    }
    assert denied == {"home": True, "way": True, "other": False}


@pytest.mark.parametrize("line", ["ls *", "wc -l *", "du -sh * | sort -h"])
def test_listing_all_names_is_no_protected_change(line: str, workspace: Workspace) -> None:
    (workspace.root / "AGENTS.md").touch()
    (workspace.root / "out").symlink_to("/etc")
    assert analyze_command(line, ".", workspace).verdict is None
    assert analyze_command(line.replace("*", "* > AGENTS.md"), ".", workspace).rule == "protected"
    assert analyze_command("touch *", ".", workspace).rule == "protected"


@pytest.mark.parametrize(
    "line",
    ["ls == x; ./y }", "cat =~ x && ./y ]", "echo != a; b; ./y )", "git log == a; ./y; }"]
    + ["test x == a; ./y ]", "(ls == x; ./y )", "ls == x\n./y }", "[ x == @(a|b) ]"],
)
def test_pattern_that_may_be_commands_is_asked(line: str, workspace: Workspace) -> None:
    command = analyze_command(line, ".", workspace)
    assert (command.verdict, command.plain) == ("ask", False)
    assert analyze_command(line.replace("./y", "rm -rf /"), ".", workspace).verdict != "allow"


def test_a_comparison_is_none_of_it(workspace: Workspace) -> None:
    assert analyze_command("[ a == b ] && echo x == y", ".", workspace).verdict == "allow"
    assert analyze_command("[[ a =~ ^(a|b)$ ]]", ".", workspace).verdict is None
    assert analyze_command("ls == x; rm -rf / }", ".", workspace).verdict == "deny"


@pytest.mark.parametrize("line", ["find . <&- -delete", "rm -rf <&- /", "rm -rf 2>&- /"])
def test_word_after_closed_input_belongs_to_command(line: str, workspace: Workspace) -> None:
    assert analyze_command(line, ".", workspace).verdict == "deny"
    assert analyze_command("ls 2>&-", ".", workspace).verdict == "allow"
    assert analyze_command("sort <& -ox", ".", workspace).rule == "unparsed"


@pytest.mark.parametrize("line", ["ls 2>&- a\\", "ls a\\", "ls;&>/dev/null ls"])
def test_last_backslash_and_case_sign_are_asked(line: str, workspace: Workspace) -> None:
    assert analyze_command(line, ".", workspace).rule == "unparsed"
    assert analyze_command("ls a; ls &>/dev/null", ".", workspace).verdict == "allow"


def test_tilde_after_equals_sign_is_home(workspace: Workspace) -> None:
    assert analyze_command("dd if=x of=~/.ssh/config", ".", workspace).verdict == "deny"
    assert analyze_command("make x=~", ".", workspace).plain is False
    assert analyze_command("make --x=~ a:~ 'x=~'", ".", workspace).plain is True


def test_configured_hooks_folder_is_protected(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git/config").write_text("[core]\n\thooksPath = dev/hk # ours\n")
    workspace = Workspace(tmp_path)
    for line in ("cp x dev/hk/pre-commit", "echo x > dev/hk/pre-push", "rm -r dev/hk"):
        assert analyze_command(line, ".", workspace).rule == "protected"
    assert analyze_command("cp x dev/hooks.md", ".", workspace).verdict is None
