"""Decide calls without making them: what the words of `mcode permissions explain` come to."""

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from langchain_core.tools import BaseTool

from ...config import paths
from ...config.errors import UsageError
from ...config.settings.loader import Loaded
from ...tools.definition import schema_of
from ...tools.filesystem.project_snapshots import open_snapshots
from ...tools.permissions import Decision, Policy, decide, policy_for
from ...tools.permissions.evaluate_tool import decide_call
from ...tools.runtime.registry import NAMES, canonical, resolve, unknown_tool
from ...tools.sandbox.detect import open_sandbox
from ...tools.workspace import Workspace
from ..execution.tool_session import MALFORMED, read_call, read_object

_NAMED = re.compile(r"(\w+)=(.*)", re.DOTALL)


@dataclass(frozen=True)
class Explainer:
    """One project and what its user allows."""

    workspace: Workspace
    policy: Policy

    @staticmethod
    def of(folder: Path, loaded: Loaded) -> "Explainer":
        """For a folder and its configuration; raises UsageError for a wrong one."""
        ignored = tuple(loaded.settings.security.ignore_patterns)
        workspace = Workspace(folder, ignored, paths.home())
        policy = policy_for(loaded, workspace, usual="ask")
        if policy.mode != "edits":
            return Explainer(workspace, policy)
        # only in this mode a sandbox and snapshots decide too
        sandbox = open_sandbox(loaded.settings.sandbox, workspace, paths.home())
        snapshots = open_snapshots(folder, paths.home(), loaded.settings)
        return Explainer(workspace, policy.guarded(loaded.settings, sandbox, snapshots))

    def words(self, name: str, words: Sequence[str]) -> Decision:
        """Decide what words say; raises ValueError for what is no call."""
        return self.call(name, _arguments(name, words))

    def line(self, line: bytes) -> dict[str, object]:
        """Decide what a line of JSON says, or say what is wrong with it."""
        try:
            name, args = read_call(line)
        except ValueError as error:
            return {"error": MALFORMED.format(problem=error)}
        try:
            decision = self.call(name, args)
        except ValueError as error:
            return {"error": str(error)}
        return {"verdict": decision.verdict, "reason": decision.reason, "rule": decision.rule}

    def call(self, name: str, args: Mapping[str, object]) -> Decision:
        """Decide one call; raises ValueError for a tool that there is not."""
        own, args = canonical(name, args)
        if tool := resolve(own):
            return decide_call(tool, args, self.workspace, self.policy)
        if own.startswith("mcp_"):  # whether its server has it is known when it runs
            return decide(own, "execute", args, (), self.workspace, self.policy)
        raise ValueError(unknown_tool(name, NAMES))


def _arguments(name: str, words: Sequence[str]) -> Mapping[str, object]:
    """A JSON object, `name=value` words, a command line, or the first argument alone."""
    if len(words) == 1 and words[0].lstrip().startswith("{"):
        return read_object(words[0])
    tool = resolve(name)
    properties = _properties(tool)
    named = [match for word in words if (match := _NAMED.fullmatch(word))]
    if words and len(named) == len(words) and (tool is None or named[0][1] in properties):
        return {match[1]: _value(match[2], properties.get(match[1])) for match in named}
    if tool and tool.name == "run_command" and words:
        return {"command": words[0] if len(words) == 1 else shlex.join(words)}
    if len(words) == 1 and properties:
        return {next(iter(properties)): words[0]}
    if words:
        raise ValueError("give the arguments as a JSON object, or as pairs such as `path=src/a.py`")
    return {}


def _properties(tool: BaseTool | None) -> Mapping[str, Mapping[str, object]]:
    found: object = schema_of(tool).get("properties") if tool else None
    return cast("Mapping[str, Mapping[str, object]]", found or {})


def _value(text: str, schema: Mapping[str, object] | None) -> object:
    """A text where the tool takes one, else JSON where it is some."""
    if schema and schema.get("type") == "string":
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text


def refused(error: ValueError) -> UsageError:
    """What is wrong with the words, for people."""
    return UsageError(str(error), hint="`mcode permissions explain run_command git push`")
