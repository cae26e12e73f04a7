"""The available agents: built in, the user's own, and those of a trusted project.

A later one of the same name replaces an earlier one, but a project's keeps the limits of the one
that it replaces: a project can restrict, never loosen.

A prompt or an agent changes in:

- `config/agents/builtin/<name>.md`; text for all agents: `nodes/run/agent.py` and
  `nodes/messages/instructions.md`; text for some models only: `models/prompt_addenda.json`
- search for the same sentence in other agents' files
- `make cassettes` records `tests/cassettes` again, without a key or a network: commit them
- `docs/agents.md` for a new agent
"""

from collections import ChainMap
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import cast

from ..errors import UsageError
from ..text import text
from ..trust.decision import Trust
from .definition_files import DefinitionFile, read_definition_files
from .front_matter import read_plain_front_matter
from .parser import InvalidAgentError, build_agent, check_name, read_agent
from .profile import AgentProfile
from .rules import parse_file_table

BUILT_IN = Path(__file__).with_name("builtin")
# The origin of agents that a program has registered
PROGRAM = "program"
_registered = dict[str, AgentProfile]()


@dataclass(frozen=True)
class AgentRegistry:
    """The agents and invalid files found."""

    profiles: Mapping[str, AgentProfile]
    faults: tuple[InvalidAgentError, ...] = ()
    """Invalid files; their names cannot be used."""

    def find(self, name: str) -> AgentProfile:
        """Return the agent of that name; UsageError has its file's errors, or the known names."""
        if name in self.profiles:
            return self.profiles[name]
        for fault in self.faults:
            if fault.name == name:
                raise fault
        visible_names = [profile.name for profile in self.profiles.values() if not profile.hidden]
        close = get_close_matches(name, visible_names, n=1)
        suggestion = text("did you mean `{name}`? ", name=close[0]) if close else ""
        raise UsageError(
            text("no agent `{name}`", name=name),
            hint=text(
                "{suggestion}There are: {names}",
                suggestion=suggestion,
                names=", ".join(visible_names),
            ),
        )

    def find_primary_agent(self, name: str) -> AgentProfile:
        """Return the primary agent of that name; raises UsageError for others."""
        profile = self.find(name)
        if profile.mode != "subagent":
            return profile
        speaking = [
            agent.name
            for agent in self.profiles.values()
            if not agent.hidden and agent.mode != "subagent"
        ]
        raise UsageError(
            text("the agent `{name}` works only for other agents, not in conversations", name=name),
            hint=text("agents for conversations: {names}", names=", ".join(speaking)),
        )


def register_agent(profile: AgentProfile) -> None:
    """Add an agent of the user's own to this process; it replaces one of the same name.

    Raises UsageError for an invalid name or an empty prompt.
    """
    check_name(profile.name)
    if not profile.system_prompt.strip():
        raise UsageError(
            text("the agent `{name}` has no prompt", name=profile.name), hint="set `system_prompt`"
        )
    files, rules, mistakes = parse_file_table(profile.file_permissions, lambda *_: PROGRAM)
    if mistakes:
        raise UsageError("; ".join(mistakes), hint="correct `file_permissions`")
    _registered[profile.name] = replace(
        profile,
        allowed_tools=tuple(profile.allowed_tools),
        denied_tools=tuple(profile.denied_tools),
        writable_files=(*profile.writable_files, *files),
        permissions=(*profile.permissions, *rules),
        origin=PROGRAM,
    )


def find_agents(folder: Path, home: Path, trust: Trust) -> AgentRegistry:
    """Return all agents, and the invalid files; `trust` is the folder's."""
    own, faults = dict(_registered), list[InvalidAgentError]()
    users = dict(_registered)
    for file in read_definition_files("agents", folder, home, trust):
        try:
            profile = _read_definition(file)
        except InvalidAgentError as fault:
            faults.append(fault)
        else:
            if file.origin == "user":
                profile = _registered.get(profile.name, profile)
                users[profile.name] = profile
            else:
                under = users.get(profile.name) or load_built_in_agents().get(profile.name)
                profile = replace(profile, under=under)
            own[profile.name] = profile
    wrong = {fault.name for fault in faults} - _registered.keys()
    speaking = {name: profile for name, profile in own.items() if name not in wrong}
    profiles = ChainMap(speaking, cast("dict[str, AgentProfile]", _BuiltInAgents(without=wrong)))
    return AgentRegistry(MappingProxyType(profiles), tuple(faults))


def load_built_in_agents() -> Mapping[str, AgentProfile]:
    """Return the built-in agents."""
    return _BuiltInAgents()


class _BuiltInAgents(Mapping[str, AgentProfile]):
    """Each is read on first use: a start needs one of them, and YAML takes milliseconds."""

    def __init__(self, without: Collection[str] = ()) -> None:
        self._files = {
            file.stem: file for file in sorted(BUILT_IN.glob("*.md")) if file.stem not in without
        }

    def __getitem__(self, name: str) -> AgentProfile:
        return _read_built_in(self._files[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)

    def __contains__(self, name: object) -> bool:
        return name in self._files


@cache
def _read_built_in(file: Path) -> AgentProfile:
    parts = read_plain_front_matter(file.read_text(encoding="utf-8"))
    profile = build_agent(file, parts, own=True)
    return replace(profile, origin="built-in", lines={})


def _read_definition(file: DefinitionFile) -> AgentProfile:
    if file.fault:
        raise InvalidAgentError(file.path.stem, [file.fault])
    return read_agent(file.path, file.text, own=file.origin == "user")
