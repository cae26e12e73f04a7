"""Evaluation of calls without running them, for `mcode permissions explain`."""

import json
import os
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from langchain_core.tools import BaseTool

from ...config import paths
from ...config.errors import UsageError
from ...config.settings.loader import LoadedSettings
from ...tools.definition import get_schema
from ...tools.filesystem.project_snapshots import open_snapshots
from ...tools.mcp.config_files import load_servers
from ...tools.mcp.tool_names import fold_name, make_tool_name
from ...tools.permissions.decision import Decision
from ...tools.permissions.evaluate import evaluate_call
from ...tools.permissions.evaluate_tool import evaluate_tool_call
from ...tools.permissions.policy import Policy, build_policy
from ...tools.runtime.registry import NAMES, canonical, describe_unknown_tool, resolve
from ...tools.sandbox.detect import open_sandbox
from ...tools.workspace import Workspace
from ..execution.tool_session import MALFORMED, read_call, read_object

_NAMED = re.compile(r"(\w+)=(.*)", re.DOTALL)


@dataclass(frozen=True)
class Explainer:
    """The policy of one project and its user."""

    workspace: Workspace
    policy: Policy

    @staticmethod
    def from_folder(folder: Path, loaded: LoadedSettings) -> "Explainer":
        """Build it for a folder and its configuration; raise UsageError if that is invalid."""
        ignored = tuple(loaded.settings.security.ignore_patterns)
        workspace = Workspace(folder, ignored, paths.locate_home())
        policy = build_policy(loaded, workspace, usual="ask")
        policy = policy.with_servers(load_servers(folder, paths.locate_home()))
        policy = policy.with_answer_rules(paths.locate_home(), os.path.realpath(folder), ())
        if policy.mode != "edits":
            return Explainer(workspace, policy)
        # only in this mode the sandbox and snapshots affect the decision
        sandbox = open_sandbox(loaded.settings.sandbox, workspace, paths.locate_home())
        snapshots = open_snapshots(folder, paths.locate_home(), loaded.settings)
        return Explainer(workspace, policy.with_safeguards(loaded.settings, sandbox, snapshots))

    def evaluate_words(self, name: str, words: Sequence[str]) -> Decision:
        """Decide the call that the arguments describe; raise ValueError if they describe none."""
        return self.evaluate_call(name, _parse_arguments(name, words))

    def evaluate_line(self, line: bytes) -> dict[str, object]:
        """Decide the call in a line of JSON, or return what is wrong with the line."""
        try:
            name, args = read_call(line)
        except ValueError as error:
            return {"error": MALFORMED.format(problem=error)}
        try:
            decision = self.evaluate_call(name, args)
        except ValueError as error:
            return {"error": str(error)}
        return {"verdict": decision.verdict, "reason": decision.reason, "rule": decision.rule}

    def evaluate_call(self, name: str, args: Mapping[str, object]) -> Decision:
        """Decide one call; raise ValueError if the tool does not exist."""
        own, args = canonical(name, args)
        if own == "use_mcp_tool" and {"server_name", "tool_name"} <= args.keys():
            # as in a run: rules and questions name what really runs
            server = str(args["server_name"])
            own = make_tool_name(server, str(args["tool_name"]))
            return self._evaluate_server_call(own, args.get("arguments"), server)
        if tool := resolve(own):
            return evaluate_tool_call(tool, args, self.workspace, self.policy)
        if own.startswith("mcp_"):  # whether its server has the tool is known only at run time
            return self._evaluate_server_call(own, {**args}, self._find_server(own))
        raise ValueError(describe_unknown_tool(name, NAMES))

    def _evaluate_server_call(self, name: str, args: object, server: str) -> Decision:
        own_args = cast("Mapping[str, object]", args if isinstance(args, dict) else {})
        server = server if server in self.policy.mcp_servers else ""
        return evaluate_call(name, "execute", own_args, (), self.workspace, self.policy, server)

    def _find_server(self, tool: str) -> str:
        """Return the server with the longest name that the tool's begins with; empty if none."""
        names = [
            name
            for name in self.policy.mcp_servers
            if fold_name(tool).startswith(fold_name(make_tool_name(name, "")))
        ]
        return max(names, key=len, default="")


def _parse_arguments(name: str, words: Sequence[str]) -> Mapping[str, object]:
    """Parse a JSON object, `name=value` arguments, a command line, or the first argument alone."""
    if len(words) == 1 and words[0].lstrip().startswith("{"):
        return read_object(words[0])
    tool = resolve(name)
    properties = _read_properties(tool)
    named = [match for word in words if (match := _NAMED.fullmatch(word))]
    if words and len(named) == len(words) and (tool is None or named[0][1] in properties):
        return {match[1]: _parse_value(match[2], properties.get(match[1])) for match in named}
    if tool and tool.name == "run_command" and words:
        return {"command": words[0] if len(words) == 1 else shlex.join(words)}
    if len(words) == 1 and properties:
        return {next(iter(properties)): words[0]}
    if words:
        raise ValueError("give the arguments as a JSON object, or as pairs such as `path=src/a.py`")
    return {}


def _read_properties(tool: BaseTool | None) -> Mapping[str, Mapping[str, object]]:
    properties: object = get_schema(tool).get("properties") if tool else None
    return cast("Mapping[str, Mapping[str, object]]", properties or {})


def _parse_value(text: str, schema: Mapping[str, object] | None) -> object:
    """Return the text if the tool takes a string, else its JSON value if it is valid JSON."""
    if schema and schema.get("type") == "string":
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text


def to_usage_error(error: ValueError) -> UsageError:
    """Convert the error into one for the user."""
    return UsageError(str(error), hint="`mcode permissions explain run_command git push`")
