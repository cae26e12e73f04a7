from pathlib import Path

import pytest

from maxagent.config.git.config_parser import parse_config
from maxagent.config.git.program_settings import names_program, needs_helper

PROGRAMS = [
    "core.fsmonitor",
    "core.hooksPath",
    "core.sshCommand",
    "core.pager",
    "core.editor",
    "core.askPass",
    "core.gitProxy",
    "core.alternateRefsCommand",
    "gpg.program",
    "gpg.ssh.program",
    "gpg.ssh.defaultKeyCommand",
    "filter.x.clean",
    "filter.x.smudge",
    "filter.x.process",
    "diff.external",
    "diff.x.command",
    "diff.x.textconv",
    "merge.x.driver",
    "remote.origin.uploadpack",
    "remote.origin.receivepack",
    "remote.origin.vcs",
    "remote.origin.proxy",
    "credential.helper",
    "credential.https://h.helper",
    "sequence.editor",
    "alias.st",
    "interactive.diffFilter",
    "include.path",
    "includeIf.onbranch:x.path",
    "url.x.insteadOf",
    "url.x.pushInsteadOf",
    "protocol.ext.allow",
    "protocol.allow",
    "uploadpack.packObjectsHook",
    "trailer.x.cmd",
    "trailer.x.command",
    "browser.x.cmd",
    "mergetool.x.cmd",
    "difftool.x.path",
    "pager.log",
    "tar.x.command",
    "hook.x.command",
    "init.templateDir",
    "sendemail.smtpServer",
    "imap.tunnel",
    "lfs.customtransfer.x.command",
    "lfs.customtransfer.x.path",
    "lfs.extension.x.clean",
    "lfs.extension.x.smudge",
    "unknown.helper",
]
PLAIN = [
    "core.bare",
    "core.autocrlf",
    "user.name",
    "user.email",
    "remote.origin.url",
    "remote.origin.fetch",
    "branch.main.remote",
    "branch.main.merge",
    "branch.main.vscode-merge-base",
    "extensions.worktreeConfig",
    "submodule.x.url",
    "submodule.x.active",
    "push.default",
    "lfs.repositoryformatversion",
    "gui.geometry",
]


def parse(text: str) -> list[str]:
    entries = parse_config(text, Path("config"))
    return [entry.name for entry in entries if names_program(entry)]


def write(name: str, value: str) -> str:
    section, _, remainder = name.partition(".")
    subsection, _, key = remainder.rpartition(".")
    return (
        f'[{section} "{subsection}"]\n{key} = {value}\n'
        if subsection
        else (f"[{section}]\n\t{key} = {value}\n")
    )


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_setting_that_names_a_program_is_known(name: str) -> None:
    assert parse(write(name, "./evil")) == [name if name[0] != "i" else parse_name(name)]


def parse_name(name: str) -> str:
    section, _, remainder = name.partition(".")
    return f"{section.lower()}.{remainder}"


@pytest.mark.parametrize("name", PLAIN)
def test_an_ordinary_setting_names_no_program(name: str) -> None:
    assert parse(write(name, "origin")) == []


@pytest.mark.parametrize("value", ["true", "false", "1", "off", ""])
def test_a_switch_names_no_program(value: str) -> None:
    assert parse(write("core.fsmonitor", value) + write("pager.log", value)) == []


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("ext::sh -c evil", True),
        ("foo://host/x", True),
        ("fd::17", True),
        ("https://github.com/a/b", False),
        ("git@github.com:a/b.git", False),
        ("ssh://host/x", False),
        ("../other", False),
        ("C:/x", False),
    ],
)
def test_an_address_with_helper_starts_program(address: str, expected: bool) -> None:
    assert needs_helper(address) is expected
    for name in ("remote.o.url", "remote.o.pushurl", "branch.b.remote", "submodule.s.url"):
        assert parse(write(name, address)) == ([name] if expected else [])


def test_a_shell_command_counts_under_any_name() -> None:
    assert parse(write("submodule.x.update", '"!evil"')) == ["submodule.x.update"]


@pytest.mark.parametrize(
    ("config", "value", "expected"),
    [
        ("/p/.git/config", "..", False),
        ("/p/.git/config", "/p/", False),
        ("/p/.git/modules/a/b/config", "../../../../a/b", False),
        ("/p/.git/modules/a/config", "../../../../q", True),
        ("/p/.git/modules/a/config", "/p2", True),
        ("/p/.git/config", "/home/ada", True),
        ("/p/.git/config", "../../q", True),
        ("/p/.git/config", "../src", True),
        ("/p/.git/config", "~/q", True),
        ("/elsewhere/config", "/p", True),
    ],
)
def test_worktree_elsewhere_decides_what_runs(config: str, value: str, expected: bool) -> None:
    entries = parse_config(f"[core]\n worktree = {value}\n", Path(config))
    assert [names_program(entry) for entry in entries] == [expected]
