"""Settings of git that name a program or lead to one: the one list of them (pure)."""

import os
import re

from .config_parser import GitConfigEntry

# By section, with or without a subsection; `*`: each key
_KEYS = {
    "alias": "*",
    "browser": "cmd path",
    "core": "alternaterefscommand askpass editor fsmonitor gitproxy hookspath pager sshcommand",
    "credential": "helper",
    "diff": "command external textconv",
    "difftool": "cmd path",
    "filter": "clean process smudge",
    "gc": "recentobjectshook",
    "gpg": "defaultkeycommand program",
    "guitool": "cmd",
    "hook": "*",
    "imap": "tunnel",
    "include": "path",
    "includeif": "path",
    "init": "templatedir",
    "instaweb": "browser httpd modulepath",
    "interactive": "difffilter",
    "lfs": "clean path smudge standalonetransferagent",
    "man": "cmd path",
    "merge": "driver",
    "mergetool": "cmd path",
    "pager": "*",
    "protocol": "allow",
    "remote": "proxy receivepack uploadpack vcs",
    "sendemail": "cccmd headercmd sendmailcmd smtpserver tocmd",
    "sequence": "editor",
    "tar": "command",
    "trailer": "cmd command",
    "uploadpack": "packobjectshook",
    "url": "insteadof pushinsteadof",
    "web": "browser",
}
_BY_SECTION = {section: frozenset(keys.split()) for section, keys in _KEYS.items()}
# Keys of other programs' sections, and of git's own to come
_PROGRAM_KEY = re.compile(
    r".*(cmd|command|program|helper|hook|driver|editor|textconv|askpass|difffilter|tunnel)|.*agent"
)
# Keys whose value is an address, or the name of a remote
_ADDRESSES = {
    "branch": frozenset(["pushremote", "remote"]),
    "remote": frozenset(["pushdefault", "pushurl", "url"]),
    "submodule": frozenset(["url"]),
}
# Addresses that git reaches without a helper of that name; others run `git-remote-NAME`
_OWN_SCHEMES = frozenset(
    ["file", "ftp", "ftps", "git", "git+ssh", "http", "https", "ssh", "ssh+git"]
)
_SCHEME = re.compile(r"([A-Za-z0-9][A-Za-z0-9+.-]*)://")
_HELPER = re.compile(r"[A-Za-z0-9][A-Za-z0-9+.-]*::")
_BOOLEANS = frozenset(["true", "false", "yes", "no", "on", "off", "1", "0"]) | {""}
# Sections and keys whose value may be a boolean instead of a program
_SWITCHES = re.compile(r"core fsmonitor|pager .*")


def names_program(entry: GitConfigEntry) -> bool:
    """Return whether a setting names a program, or decides which one git starts."""
    keys = _BY_SECTION.get(entry.section, frozenset[str]())
    if entry.key in keys or "*" in keys or _PROGRAM_KEY.fullmatch(entry.key):
        is_switch = _SWITCHES.fullmatch(f"{entry.section} {entry.key}")
        return not (is_switch and entry.value.lower() in _BOOLEANS)
    if entry.value.startswith("!"):
        return True
    if (entry.section, entry.key) == ("core", "worktree"):
        return _leads_elsewhere(entry)
    return entry.key in _ADDRESSES.get(entry.section, ()) and needs_helper(entry.value)


def _leads_elsewhere(entry: GitConfigEntry) -> bool:
    """Return whether git would work in another folder than the one that has the repository."""
    git_dir = entry.file.parent
    while git_dir.name != ".git":
        if git_dir == git_dir.parent:
            return True
        git_dir = git_dir.parent
    top = os.path.normpath(git_dir.parent)
    target = os.path.normpath(entry.file.parent / entry.value)
    # a submodule's repository is in the one that has it, and works in a folder below
    is_module = git_dir / "modules" in entry.file.parents
    return target != top and not (is_module and target.startswith(top + os.sep))


def needs_helper(address: str) -> bool:
    """Return whether git starts a program of the address's choice: `ext::sh -c …`, `foo://x`."""
    if _HELPER.match(address):
        return True
    scheme = _SCHEME.match(address)
    return bool(scheme) and scheme[1].lower() not in _OWN_SCHEMES
