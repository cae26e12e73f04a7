"""Programs that git starts because a line sets it so: variables, options, other configurations."""

import os
import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path

from ....config.git.config_parser import GitConfigEntry
from ....config.git.config_reader import GitConfigReader
from ....config.git.program_settings import names_program, needs_helper
from ....config.text import text
from ...git.config_risks import HOOK_NAMES
from ...protected_paths import find_protected_name
from ..parsing.git_command import find_git_command
from ..parsing.path_targets import resolve_target
from ..parsing.simple_command import SimpleCommand
from .protected_writes import find_written_names

_NONE_LIST = """
cd echo printf export declare unset set true false test [ : read local readonly
"""
# Programs that start no git, whatever is set for them
_STARTS_NONE = frozenset(_NONE_LIST.split())
_RUNNING = re.compile(
    r"GIT_(PAGER|EDITOR|SEQUENCE_EDITOR|SSH|SSH_COMMAND|ASKPASS|EXTERNAL_DIFF|PROXY_COMMAND"
    r"|CONFIG_PARAMETERS|EXEC_PATH|TEMPLATE_DIR|CONFIG_(?:GLOBAL|SYSTEM))"
    r"|PAGER|EDITOR|VISUAL|SSH_ASKPASS|LESSOPEN|LESSCLOSE"
)
_KEY_NUMBER = re.compile(r"GIT_CONFIG_KEY_(\d+)")
_GIT_DIRS = ("GIT_DIR", "GIT_COMMON_DIR")
_HOMES = {"HOME": (".gitconfig", ".config/git/config"), "XDG_CONFIG_HOME": ("git/config",)}
_SED = (
    r"sed -i(?:\.\w+)?(?: -E)?(?: -e)? (?P<quote>['\"]?)[\d,$]*s([/|,#])[^'\"]*\2[gI\d]*(?P=quote)"
)
_SSH_OPTION = (
    r"(?:StrictHostKeyChecking|UserKnownHostsFile|BatchMode|IdentitiesOnly|IdentityFile|LogLevel"
    r"|ConnectTimeout|ServerAlive\w+|Port|User|HostName|Compression|PreferredAuthentications)"
)
_SSH = rf"ssh(?: -(?:[46aCqTtvx]+|[ilp] ?[^\s-]\S*|o ?{_SSH_OPTION}[= ]\S+))*"
# Programs that show, edit or connect, and start no other; what they get is a file of git's
_HARMLESS = re.compile(
    rf"|(?:(?:/usr)?/bin/)?(?:cat|less|more|most|head|tail|true|false|echo|delta|vim?|nvim|nano|ed)"
    rf"(?: [-+]\w[\w=-]*)*|:|code --wait|gpg2?|git-(?:up|re)\w+-pack|git[ -]lfs [\w %-]+|/dev/null"
    rf"|{_SED}|{_SSH}"
)
# Values of keys that name a program only in another form
_HARMLESS_SETTINGS = re.compile(
    r"alias\..+=[^!].*|http\.(?:.+\.)?useragent=.*|credential\.(?:.+\.)?helper=[a-z-]*"
    r"|protocol\.(?:(?:file|git|https?|ssh)\.allow=.*|(?:.+\.)?allow=(?:never|user))"
    r"|remote\..+\.proxy=(?:(?:https?|socks\w*)://.*)?|pager\.[^=]+=[a-z]*"
    r"|url\.(?:https?|ssh|git|file)://[^=]*\.(?:push)?insteadof=.*|url\.git@[^=]*=.*",
    re.IGNORECASE | re.DOTALL,
)
# Options that name a program, by the command of git; long ones also cut short
_OPTIONS = {
    **dict.fromkeys(("clone", "fetch", "pull", "ls-remote", "fetch-pack"), r"--up[a-z-]*|--exec"),
    **dict.fromkeys(("push", "send-pack"), r"--rece[a-z-]*|--exec"),
    "archive": r"--exec?",
    "difftool": r"-x|--ext[a-z]*",
    "grep": r"-O|--op[a-z-]*",
    "send-email": r"--(?:smtp-server|sendmail-cmd|(?:to|cc|header)-cmd)",
    "submodule": r"--up[a-z-]*-pack",
}
_ATTACHED = {"grep": ("-O",), "difftool": ("-x",), "clone": ("-u", "-c")}
_REACHES_LIST = """
clone fetch pull push ls-remote remote submodule archive fetch-pack
"""
# Commands of git that take an address
_REACHES = frozenset(_REACHES_LIST.split())


def find_git_program(step: SimpleCommand, steps: Sequence[SimpleCommand]) -> str:
    """Describe what makes git start a program that it would not start by itself; else empty.

    `steps` are those of the line: they may write a configuration that git then reads.
    """
    is_git = step.program == "git" or step.program.startswith("git-")
    if not step.words or step.program in _STARTS_NONE:
        return ""
    for source in (*_find_variables(step, is_git=is_git), *(_find_options(step) if is_git else ())):
        return text("`{source}` makes git start a program of its own choice", source=source)
    for path in _find_configs(step) if is_git else ():
        if name := _find_named_program(path, steps):
            return text(
                "git would read `{path}`, which may name programs to start: `{name}`",
                path=os.path.relpath(path, step.folder),
                name=name,
            )
    return ""


def _find_variables(step: SimpleCommand, *, is_git: bool) -> Iterator[str]:
    """Yield the assignments that name a program or a configuration."""
    values = dict[str, str | None]()
    for name, value in step.environment:
        values[name] = value
        is_running = _RUNNING.fullmatch(name) and (is_git or name.startswith("GIT_"))
        if is_running and (value is None or not _HARMLESS.fullmatch(value.strip())):
            yield f"{name}={value or '…'}"
    for name, value in step.environment:
        if match := _KEY_NUMBER.fullmatch(name):
            of_key = values.get(f"GIT_CONFIG_VALUE_{match[1]}", "")
            if value is None or _is_risky(value, of_key, step):
                yield f"{name}={value or '…'}"


def _find_options(step: SimpleCommand) -> Iterator[str]:
    """Yield the options and addresses with which git starts a program."""
    arguments = [word.text for word in step.words[1:]]
    at = find_git_command(arguments) if step.program == "git" else 0
    before, command, after = arguments[:at], "".join(arguments[at : at + 1]), arguments[at + 1 :]
    if step.program != "git":
        command, after = step.program.removeprefix("git-"), arguments
    yield from _find_settings(before, step, names=r"-c|--config-env")
    yield from (word for word in before if word.startswith("--exec-path="))
    if command == "clone":
        yield from _find_settings(after, step, names=r"-c|--conf[a-z]*")
    for option, value in _pair_options(command, after):
        if not _HARMLESS.fullmatch(value.strip()):
            yield f"{option} {value}".strip()
    if command in _REACHES:
        yield from filter(needs_helper, after)


def _find_settings(arguments: Sequence[str], step: SimpleCommand, *, names: str) -> Iterator[str]:
    option = re.compile(rf"({names})(?:=(.*))?", re.DOTALL)
    for word, following in zip_longest(arguments, arguments[1:], fillvalue=""):
        match = option.fullmatch(word)
        if not match:
            continue
        setting = following if match[2] is None else match[2]
        key, equals, value = setting.partition("=")
        known = None if match[1].startswith("--config-e") else value if equals else "true"
        if _is_risky(key, known, step):
            yield f"{match[1]} {setting}"


def _pair_options(command: str, arguments: Sequence[str]) -> Iterator[tuple[str, str]]:
    pattern = (
        re.compile(rf"({_OPTIONS[command]})(?:=(.*))?", re.DOTALL) if command in _OPTIONS else None
    )
    for word, following in zip_longest(arguments, arguments[1:], fillvalue=""):
        if word == "--":
            return
        match = pattern.fullmatch(word) if pattern else None
        short = next((name for name in _ATTACHED.get(command, ()) if word.startswith(name)), "")
        if match and command == "grep" and match[2] is None:
            yield word, ""  # its value stands only in the same word
        elif match:
            yield match[1], following if match[2] is None else match[2]
        elif short and short != "-c" and not word.startswith("--"):
            yield short, word.removeprefix(short) or following


def _is_risky(key: str, value: str | None, step: SimpleCommand) -> bool:
    """Return whether a setting starts a program that is not harmless; `value` None: unknown."""
    section, _, remainder = key.strip().partition(".")
    subsection, _, name = remainder.rpartition(".")
    file = (step.folder or Path("/")) / ".git/config"
    written = "./unknown" if value is None else value
    entry = GitConfigEntry(section.lower(), subsection, name.lower(), written, file)
    if not name or not re.fullmatch(r"[\w-]+", section):
        return True
    if not names_program(entry) or _HARMLESS_SETTINGS.fullmatch(f"{key}={written}"):
        return False
    return not _HARMLESS.fullmatch(written.strip())


def _find_configs(step: SimpleCommand) -> Iterator[Path]:
    """Yield folders and files that git reads instead of the checkout's and the user's own."""
    folder, dirs, arguments = step.folder, list[str](), [word.text for word in step.words[1:]]
    before = arguments[: find_git_command(arguments)] if step.program == "git" else []
    for word, following in zip_longest(before, before[1:], fillvalue=""):
        if word == "-C" and folder:
            folder = folder / following
        elif word.startswith("--git-dir"):
            dirs.append(word.removeprefix("--git-dir=") if "=" in word else following)
    dirs += [value for name, value in step.environment if name in _GIT_DIRS and value]
    for path in filter(None, (resolve_target(name, folder) for name in dirs)):
        if not find_protected_name(str(path)):
            yield path
    for name, value in step.environment:
        for file in _HOMES.get(name, ()) if value else ():
            if home := resolve_target(value or "", folder):
                yield home / file
    if folder and not dirs and (bare := _find_bare(folder)):
        yield bare


def _find_bare(folder: Path) -> Path | None:
    """Return the folder above that git takes for a repository without `.git`."""
    for path in (folder, *folder.parents):
        if os.path.lexists(path / ".git"):
            return None
        if all(os.path.lexists(path / name) for name in ("HEAD", "objects", "refs")):
            return None if find_protected_name(str(path)) else path
    return None


def _find_named_program(path: Path, steps: Sequence[SimpleCommand]) -> str:
    """Return a setting or a hook, there or written there by the line, that starts a program."""
    for step in steps:
        for name in find_written_names(step):
            written = resolve_target(name, step.folder)
            if written and (written.is_relative_to(path) or path.is_relative_to(written)):
                return name
    reader, is_dir = GitConfigReader(), path.is_dir()
    for config in (path / "config", path / "config.worktree") if is_dir else (path,):
        reader.read(config)
    hooks = [path / "hooks" / name for name in HOOK_NAMES] if is_dir else []
    settings = (
        entry.name
        for entry in reader.entries
        if names_program(entry) and not _HARMLESS.fullmatch(entry.value.strip())
    )
    active = (f"hooks/{hook.name}" for hook in hooks if os.access(hook, os.X_OK))
    return next(settings, "") or next(active, "")
