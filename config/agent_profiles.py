"""The agents there are: built in, the user's own, and those of a project that is trusted.

A later one of the same name replaces an earlier one, but a project's stays under the limits of the
one that it replaces: what a project brings can restrict, never loosen.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from types import MappingProxyType

from .agent_file import WrongAgent, read_agent
from .agent_profile import AgentProfile
from .errors import UsageError
from .own_files import OwnFile, own_files
from .trust import Trust

BUILT_IN = Path(__file__).with_name("agents")


@dataclass(frozen=True)
class Agents:
    """What was found."""

    profiles: Mapping[str, AgentProfile]
    faults: tuple[WrongAgent, ...] = ()
    """Files that are no agents; nobody speaks under their names meanwhile."""

    def find(self, name: str) -> AgentProfile:
        """The agent of that name; raises UsageError: its file's mistakes, or the known names."""
        if name in self.profiles:
            return self.profiles[name]
        for fault in self.faults:
            if fault.name == name:
                raise fault
        known = [one.name for one in self.profiles.values() if not one.hidden]
        close = get_close_matches(name, known, n=1)
        meant = f"did you mean `{close[0]}`? " if close else ""
        raise UsageError(f"no agent `{name}`", hint=f"{meant}There are: {', '.join(known)}")

    def find_speaking(self, name: str) -> AgentProfile:
        """The agent of that name, one that speaks with the human; raises UsageError for others."""
        profile = self.find(name)
        if profile.mode != "subagent":
            return profile
        speaking = [
            one.name for one in self.profiles.values() if not one.hidden and one.mode != "subagent"
        ]
        raise UsageError(
            f"the agent `{name}` is for other agents to send, it speaks with nobody",
            hint=f"these speak with you: {', '.join(speaking)}",
        )


def find_agents(folder: Path, home: Path, trust: Trust) -> Agents:
    """All agents, and the files that are none; `trust`: how the folder stands."""
    profiles, faults = dict(built_in()), list[WrongAgent]()
    users = dict(profiles)
    for one in own_files("agents", folder, home, trust):
        try:
            profile = _read(one)
        except WrongAgent as fault:
            faults.append(fault)
        else:
            if one.origin == "user":
                users[profile.name] = profile
            else:
                profile = replace(profile, under=users.get(profile.name))
            profiles[profile.name] = profile
    for fault in faults:
        profiles.pop(fault.name, None)
    return Agents(MappingProxyType(profiles), tuple(faults))


def agents(folder: Path, home: Path, trust: Trust) -> Mapping[str, AgentProfile]:
    """The agents that can speak, by name."""
    return find_agents(folder, home, trust).profiles


@cache
def built_in() -> Mapping[str, AgentProfile]:
    """The agents that MaxAgent brings itself."""
    found = (
        read_agent(file, file.read_text(encoding="utf-8"), own=True)
        for file in sorted(BUILT_IN.glob("*.md"))
    )
    return {one.name: replace(one, origin="built-in", lines={}) for one in found}


def _read(one: OwnFile) -> AgentProfile:
    if one.fault:
        raise WrongAgent(one.path.stem, [one.fault])
    return read_agent(one.path, one.text, own=one.origin == "user")
