"""Parser of agent files: errors with their lines, notes about other agents' formats.

A denial that is silently ignored is worse than none, so everything unknown is an error.
"""

import re
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, cast, get_args

from ..errors import UsageError
from ..settings.permission_rules import RawRule
from ..text import join_texts, text
from .front_matter import FrontMatter, split_front_matter
from .profile import ALL_TOOLS, AgentMode, AgentProfile, ModeLimit
from .rules import parse_file_table, parse_rules

KEYS = (
    "name",
    "description",
    "mode",
    "model",
    "temperature",
    "tools",
    "denied_tools",
    "skills",
    "permissions",
    "files",
    "max_steps",
    "permission_mode",
    "isolation",
    "hidden",
)
# Other agents' names for some of them
OTHER_NAMES = {
    "disallowedTools": "denied_tools",
    "permission": "permissions",
    "allowed_tools": "tools",
    "file_permissions": "files",
    "maxSteps": "max_steps",
    "maxTurns": "max_steps",
    "steps": "max_steps",
    "permissionMode": "permission_mode",
}
# Other keys in Claude Code's and opencode's files; noted, not an error
NOT_USED = frozenset(
    ["background", "color", "disable", "effort", "hooks", "initialPrompt"]
    + ["mcpServers", "memory", "options", "reasoningEffort"]
    + ["textVerbosity", "topP", "top_p", "variant"]
)
# Approval modes, and Claude Code's names for them
MODE_LIMITS: Mapping[str, ModeLimit] = {
    "read-only": "read-only",
    "ask": "ask",
    "edits": "edits",
    "plan": "read-only",
    "default": "ask",
    "acceptEdits": "edits",
}
# Folders of other agents' files: a later version of them may have keys that nobody here knows
FOREIGN_FOLDERS = frozenset([".claude", ".opencode"])
# Claude Code's model names, which belong to no provider
FOREIGN_MODELS = frozenset(["inherit", "sonnet", "opus", "haiku", "opusplan"])
_NAME = re.compile(r"[a-z0-9_-]{1,64}")


class InvalidAgentError(UsageError):
    """An invalid agent file; `reports` has a line for each error, `FILE:LINE: what`."""

    def __init__(self, name: str, reports: list[str]) -> None:
        hint = "see `mcode agents show coder` for an example"
        super().__init__(join_texts("\n", reports), hint=hint)
        self.name = name
        """The agent's name, if it is known."""
        self.reports = tuple(reports)


def check_name(name: str) -> None:
    """Raise UsageError for an invalid agent name."""
    if not _NAME.fullmatch(name):
        rule = "use a-z, 0-9, `-` and `_`, at most 64 characters"
        raise UsageError(text("`{name}` is not a valid agent name", name=name[:80]), hint=rule)


def read_agent(file: Path, content: str, *, own: bool) -> AgentProfile:
    """Return the agent that a file's text describes; raises InvalidAgentError.

    `own`: whether it is the user's or built in, so that its `allow` rules count.
    """
    try:
        parts = split_front_matter(file, content)
    except UsageError as error:
        raise InvalidAgentError(file.stem, [error.message]) from error
    return build_agent(file, parts, own=own)


def build_agent(file: Path, parts: FrontMatter, *, own: bool) -> AgentProfile:
    """Return the agent of a file's parts; raises InvalidAgentError."""
    if not parts.values:
        raise InvalidAgentError(
            file.stem, [text("{file}:1: no front matter; start with a line `---`", file=file)]
        )
    reading = _AgentReader(file, parts)
    profile = reading.build_profile(own=own)
    if reading.reports:
        raise InvalidAgentError(profile.name, reading.reports)
    return profile


class _AgentReader:
    """One file being read: its values under our own keys, and its errors."""

    def __init__(self, file: Path, parts: FrontMatter) -> None:
        self.file, self.parts = file, parts
        self.reports: list[str] = []
        self.notes: list[str] = []
        self.values: dict[str, object] = {}
        self.lines: dict[str, int] = {}
        for key, value in parts.values.items():
            self._add_value(key, value)

    def build_profile(self, *, own: bool) -> AgentProfile:
        """Return the agent, as far as its file is valid."""
        prompt = self.parts.body.strip()
        if not prompt:
            self._add_error("", "no prompt: write the agent's prompt below the second `---`")
        tools, denied = self._read_tools()
        files, file_rules = self._read_files()
        return AgentProfile(
            name=self._read_name(),
            description=self._read_text("description"),
            system_prompt=prompt,
            mode=self._read_mode(),
            model=self._read_model(),
            temperature=self._read_number("temperature", (int, float), 0, 2),
            allowed_tools=tools,
            denied_tools=(*denied, *self._read_texts("denied_tools")),
            skills=self._read_texts("skills"),
            permissions=(*self._read_rules(own=own), *file_rules),
            writable_files=files,
            max_steps=self._read_number("max_steps", (int,), 1, 10_000) or 0,
            mode_limit=self._read_mode_limit(),
            isolation=self._read_isolation(),
            origin=str(self.file),
            hidden=self._read_hidden(),
            notes=tuple(self.notes),
            lines=self.lines,
        )

    def _add_value(self, key: str, value: object) -> None:
        name = OTHER_NAMES.get(key, key)
        self.lines.setdefault(name, self.parts.lines.get((key,), 1))
        if key in NOT_USED:
            self._add_note(key, text("`{key}` is not used here", key=key))
        elif name not in KEYS:
            close = get_close_matches(key, [*KEYS, *OTHER_NAMES], n=1, cutoff=0.7)
            if not close and FOREIGN_FOLDERS & {*self.file.parts}:
                self._add_note(key, text("`{key}` is not used here", key=key))
                return
            key_list = ", ".join(f"`{known_key}`" for known_key in KEYS)
            suggestion = (
                text("did you mean `{name}`?", name=close[0])
                if close
                else text("use one of {names}", names=key_list)
            )
            self._add_error(
                key, text("unknown key `{key}`; {suggestion}", key=key, suggestion=suggestion)
            )
        elif name in self.values:
            self._add_error(name, text("`{key}` sets `{name}` a second time", key=key, name=name))
        elif value not in (None, {}):  # an empty key counts as not set
            self.values[name] = value

    def _read_name(self) -> str:
        name = self.values.get("name", self.file.stem)
        try:
            check_name(str(name))
        except UsageError as error:
            self._add_error("name", text("{first}: {rest}", first=error.message, rest=error.hint))
        return str(name)

    def _read_mode(self) -> AgentMode:
        mode, modes = self.values.get("mode", "all"), get_args(AgentMode)
        if mode not in modes:
            self._add_error(
                "mode",
                text(
                    "`mode` must be one of {names}, not `{mode}`", names=", ".join(modes), mode=mode
                ),
            )
            return "all"
        return cast("AgentMode", mode)

    def _read_model(self) -> str:
        model = self._read_text("model")
        if model not in FOREIGN_MODELS:
            return model
        if model != "inherit":
            self._add_note(
                "model",
                text("`{model}` is not PROVIDER/MODEL, so the thread's model is used", model=model),
            )
        return ""

    def _read_mode_limit(self) -> ModeLimit:
        """Read the approval mode, by our name or Claude Code's; a looser one has no effect."""
        written = self._read_text("permission_mode")
        if written in ("", "bypassPermissions", "dontAsk", "auto"):
            return ""
        if written not in MODE_LIMITS:
            names = ", ".join(MODE_LIMITS)
            words = text("`permission_mode` must be one of {names}", names=names)
            self._add_error("permission_mode", words)
        return MODE_LIMITS.get(written, "")

    def _read_isolation(self) -> Literal["", "worktree"]:
        written = self._read_text("isolation")
        if written not in ("", "none", "worktree"):
            self._add_error("isolation", "`isolation` must be worktree or none")
        return "worktree" if written == "worktree" else ""

    def _read_hidden(self) -> bool:
        hidden = self.values.get("hidden", False)
        if not isinstance(hidden, bool):
            self._add_error("hidden", "`hidden` must be true or false")
        return hidden is True

    def _read_text(self, key: str) -> str:
        value = self.values.get(key, "")
        if not isinstance(value, str):
            self._add_error(key, text("`{key}` must be text", key=key))
        return " ".join(str(value).split())

    def _read_number(self, key: str, types: tuple[type, ...], least: int, most: int) -> Any:
        value = self.values.get(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, types):
            kind = "a whole number" if types == (int,) else "a number"
            self._add_error(key, text("`{key}` must be {kind}", key=key, kind=kind))
        elif not least <= cast("float", value) <= most:
            self._add_error(
                key,
                text(
                    "`{key}` must be from {minimum} to {maximum}",
                    key=key,
                    minimum=least,
                    maximum=most,
                ),
            )
        return value

    def _read_texts(self, key: str) -> tuple[str, ...]:
        """Read a list, or text with commas."""
        value = self.values.get(key, [])
        items = value.split(",") if isinstance(value, str) else value
        raw_items = cast("list[object]", items) if isinstance(items, list) else [None]
        texts = [item.strip() for item in raw_items if isinstance(item, str)]
        if len(texts) < len(raw_items):
            self._add_error(
                key, text("`{key}` must be a list, or names with commas between them", key=key)
            )
        entries = tuple(filter(None, texts))
        if rule := next((entry for entry in entries if "(" in entry and key != "files"), ""):
            self._add_error(
                key,
                text(
                    "`{rule}` is a rule; `{key}` takes tool names, `permissions` takes rules",
                    rule=rule,
                    key=key,
                ),
            )
        return entries

    def _read_tools(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the tools, and those that opencode's `name: false` removes."""
        value = self.values.get("tools")
        if not isinstance(value, dict):
            return (ALL_TOOLS if value is None else self._read_texts("tools")), ()
        chosen = cast("Mapping[str, object]", value)
        if any(not isinstance(is_on, bool) for is_on in chosen.values()):
            self._add_error("tools", "in a mapping, `tools` takes only true and false")
        named = tuple(name for name, on in chosen.items() if on is True)
        only = chosen.get("*") is False
        denied = tuple(name for name, on in chosen.items() if on is False and name != "*")
        return named if only else ALL_TOOLS, denied

    def _read_rules(self, *, own: bool) -> Any:
        rules, wrong = parse_rules(self.values.get("permissions", {}), self._locate_rule)
        self.reports += wrong
        for rule in rules:
            if rule.kind == "allow" and not own:
                self.notes.append(
                    text(
                        "{origin}: a project's agent cannot have `allow` rules", origin=rule.origin
                    )
                )
        return tuple(rule for rule in rules if own or rule.kind != "allow")

    def _read_files(self) -> tuple[tuple[str, ...], list[RawRule]]:
        """Return the only files that may be written, and the rules of a table of files."""
        value = self.values.get("files")
        if not isinstance(value, dict):
            return self._read_texts("files"), []
        files, rules, wrong = parse_file_table(
            cast("Mapping[str, object]", value), self._locate_file_rule
        )
        self.reports += wrong
        return files, rules

    def _locate_file_rule(self, *below: str) -> str:
        path = ("file_permissions" if "file_permissions" in self.parts.values else "files", *below)
        return f"{self.file}:{self.parts.lines.get(path, self.lines.get('files', 1))}"

    def _locate_rule(self, *below: str) -> str:
        """Return `FILE:LINE` of a key under `permissions`, or of its parent."""
        written = next(
            (key for key in ("permissions", "permission") if key in self.parts.values), ""
        )
        path = (written, *below)
        while path not in self.parts.lines and len(path) > 1:
            path = path[:-1]
        return f"{self.file}:{self.parts.lines.get(path, 1)}"

    def _add_error(self, key: str, problem: str) -> None:
        place = f"{self.file}:{self.lines.get(key, 1)}"
        self.reports.append(text("{place}: {problem}", place=place, problem=problem))

    def _add_note(self, key: str, problem: str) -> None:
        place = f"{self.file}:{self.lines[key]}"
        self.notes.append(text("{place}: {problem}", place=place, problem=problem))
