"""Git's settings by origin: the user's own, and those of a repository."""

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from .user_git import SWITCHES, UserGit

# Settings of a repository that are data: they name no program, no address and no other file
_DATA = re.compile(
    r"(user|author|committer)\.(name|email)|user\.signingkey|commit\.gpgsign|gpg\.format"
    r"|i18n\.commitencoding|http\.(.+\.)?extraheader"
    r"|core\.(autocrlf|eol|safecrlf|filemode|symlinks|ignorecase|precomposeunicode|excludesfile)",
    re.DOTALL,
)
_FILTER = re.compile(r"filter\.(.+)\.(clean|smudge|process)", re.DOTALL)
_HOOK = re.compile(r"(hook\..+)\.command", re.DOTALL)
_ESCAPED = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\b": "\\b"}


@dataclass(frozen=True)
class GitSetting:
    """One setting, as git reads it."""

    scope: str
    """`system`, `global`, `local`, `worktree` or `command`."""
    key: str
    value: str

    @property
    def is_of_user(self) -> bool:
        """Whether the user wrote it, not the repository."""
        return self.scope not in ("local", "worktree")


async def list_settings(git: UserGit) -> list[GitSetting]:
    """Return all settings in git's order, those of included files, too; it runs nothing.

    `git` has no settings in its variables.
    """
    arguments = ("config", "--list", "--includes", "--show-scope", "-z")
    fields = (await git.read_text(*arguments)).split("\0")
    settings = list[GitSetting]()
    for scope, setting in zip(fields[::2], fields[1::2], strict=False):
        key, has_value, value = setting.partition("\n")
        settings.append(GitSetting(scope, key, value if has_value else "true"))
    for pair in SWITCHES:  # ours are the last ones
        key, _, value = pair.partition("=")
        section, _, name = key.rpartition(".")
        ours = GitSetting("command", f"{section}.{name.lower()}", value)
        del settings[len(settings) - 1 - settings[::-1].index(ours)]
    return settings


def select_data(settings: Iterable[GitSetting]) -> list[GitSetting]:
    """Return the settings of the repository that are data."""
    return [one for one in settings if not one.is_of_user and _DATA.fullmatch(one.key)]


def find_value(settings: Iterable[GitSetting], key: str) -> GitSetting | None:
    """Return the setting of that name that counts, the last one."""
    return next((one for one in reversed(list(settings)) if one.key == key), None)


def find_filters(settings: Iterable[GitSetting], *, of_user: bool) -> set[str]:
    """Return the names of the filters that the user, or the repository, defines."""
    matches = (_FILTER.fullmatch(one.key) for one in settings if one.is_of_user == of_user)
    return {match[1] for match in matches if match}


def disable_programs(settings: Iterable[GitSetting]) -> Mapping[str, str]:
    """Return variables that switch off the repository's filters and configured hooks."""
    own = [one for one in settings if not one.is_of_user]
    off = dict[str, str]()
    for name in sorted(find_filters(own, of_user=False)):
        off |= {f"filter.{name}.{key}": "" for key in ("clean", "smudge", "process")}
        off[f"filter.{name}.required"] = "false"
    hooks = (_HOOK.fullmatch(one.key) for one in own)
    return build_variables({**off, **{f"{match[1]}.enabled": "false" for match in hooks if match}})


def build_variables(settings: Mapping[str, str]) -> Mapping[str, str]:
    """Return variables with settings that count after the user's own variables."""
    count = os.environ.get("GIT_CONFIG_COUNT", "")
    first = int(count) if count.isdecimal() else 0
    variables = {"GIT_CONFIG_COUNT": str(first + len(settings))}
    for number, (key, value) in enumerate(settings.items(), first):
        variables[f"GIT_CONFIG_KEY_{number}"] = key
        variables[f"GIT_CONFIG_VALUE_{number}"] = value
    return variables


def render_settings(settings: Iterable[GitSetting]) -> str:
    """Return a configuration file with these settings."""
    return "".join(map(_render_setting, settings))


def _render_setting(setting: GitSetting) -> str:
    section, _, rest = setting.key.partition(".")
    subsection, _, name = rest.rpartition(".")
    head = f'[{section} "{_escape(subsection)}"]' if subsection else f"[{section}]"
    return f'{head}\n\t{name} = "{_escape(setting.value)}"\n'


def _escape(value: str) -> str:
    return "".join(_ESCAPED.get(letter, letter) for letter in value)
