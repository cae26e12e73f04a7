"""Tool calls by hand, with the same rules and the same state as a thread's."""

import asyncio
import json
import os
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from langchain_core.tools import BaseTool

from ...config import exit_codes, paths
from ...config.agents.profile import AgentProfile
from ...config.settings.loader import LoadedSettings
from ...config.skills.discovery import find_skills
from ...config.text import text
from ...config.trust.decision import check_trust
from ...sdk.tracing import disable_tracing
from ...tools.definition import get_effect
from ...tools.mcp.tool_names import PREFIX
from ...tools.permissions.decision import Decision
from ...tools.permissions.evaluate_tool import evaluate_tool_call
from ...tools.permissions.grants import READS
from ...tools.permissions.policy import build_policy
from ...tools.result import CallResult, ToolError
from ...tools.runtime.edit_preview import PreviewCall, preview_calls
from ...tools.runtime.invoke import invoke
from ...tools.runtime.registry import canonical, describe_unknown_tool, load_tool, select_tools
from ...tools.sandbox.detect import open_sandbox
from ...tools.shell.analyzer import analyze_command
from ...tools.skills.access import SkillAccess
from ...tools.todo_list import Todo
from ...tools.tool_run import ToolRun
from ...tools.tool_table import TOOLS
from ...tools.workspace import Workspace
from .stop_signal import exit_on_termination

NEEDS_APPROVAL = "needs approval: {reason}; nothing was run"
OF_SERVER = "tools of MCP servers are called in threads only; `mcode mcp tools` shows them"
NO_SANDBOX = "there is no sandbox here; `!` runs the command outside"
MALFORMED = 'a call must be a JSON object, {{"tool": "NAME", "args": {{…}}}}: {problem}'

# Asks for approval of a call: returns yes, no, the answer itself, or that no user is there
Consent = Callable[[BaseTool, Mapping[str, object], Decision], Awaitable[bool | str | None]]


@dataclass(frozen=True)
class ToolReply:
    """Result of a call."""

    exit_code: int
    output: str = ""
    error: str = ""
    decision: Decision | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def as_mapping(self) -> dict[str, object]:
        """Return it as a mapping for JSON."""
        return {
            "ok": not self.error,
            "output": self.output,
            "error": self.error,
            "decision": asdict(self.decision) if self.decision else None,
            "metadata": dict(self.metadata),
        }


class ToolSession:
    """One project, one approval mode, and what its calls have read and recorded so far."""

    def __init__(
        self,
        folder: Path,
        loaded: LoadedSettings,
        outputs: Path,
        emit: Callable[[str], None] = lambda text: None,
        agent: AgentProfile | None = None,
    ) -> None:
        """Build it; `agent` is the agent that makes the calls, and its own rules apply, too."""
        settings, home = loaded.settings, paths.locate_home()
        ignore = tuple(settings.security.ignore_patterns)
        self._skills = SkillAccess(
            find_skills(folder, home, check_trust(folder, home)), ignore=ignore
        )
        readable = self._skills.registry.outside_folders
        encodings = tuple(settings.encoding.items())
        self._workspace = Workspace(folder, ignore, home, readable=readable, encodings=encodings)
        sandbox = open_sandbox(settings.sandbox, self._workspace, home)
        self.sandbox = sandbox.with_variables(settings.environment)
        policy = build_policy(loaded, self._workspace, usual="ask")
        policy = policy.with_safeguards(settings, self.sandbox)
        self._policy = policy.with_agent(agent, self._workspace) if agent else policy
        self._rag_servers = settings.rag.servers
        self._timeout = settings.security.command_timeout
        self._tools = {tool.name: tool for tool in select_tools(None, settings.tools)}
        self._outputs, self._emit = outputs, emit
        self._backups = paths.locate_backups(home, "by-hand") if settings.tools.backup else None
        self._seen: dict[str, str] = {}
        self._todos: list[Todo] = []
        self._calls = 0

    async def call_line(self, line: bytes, consent: Consent) -> ToolReply:
        """Run the call in a line of JSON."""
        try:
            name, args = read_call(line)
        except ValueError as error:
            return ToolReply(exit_codes.USAGE, error=text(MALFORMED, problem=error))
        return await self.call_tool(name, args, consent)

    async def call_tool(self, name: str, args: Mapping[str, object], consent: Consent) -> ToolReply:
        """Evaluate the call, ask for approval if needed, and run it if it is allowed."""
        with disable_tracing():
            return await self._evaluate_and_call(*canonical(name, args), consent)

    async def run_user_command(self, command: str, *, in_sandbox: bool) -> ToolReply:
        """Run a command that the user has typed: no rule or mode applies, nothing is asked.

        Outside the sandbox it has the user's whole environment. What is never allowed is denied.
        """
        analysis = await asyncio.to_thread(analyze_command, command, ".", self._workspace)
        decision = Decision("allow", "you typed it", "user")
        if analysis.verdict == "deny":
            decision = Decision("deny", analysis.reason, analysis.rule)
            error = text("Not allowed: {reason}", reason=analysis.reason)
            return ToolReply(exit_codes.FAILED, error=error, decision=decision)
        with disable_tracing():
            if not in_sandbox:
                return _build_reply(await self._run_as_user(command), decision)
            if not self.sandbox.is_on:
                return ToolReply(exit_codes.FAILED, error=text(NO_SANDBOX), decision=decision)
            result = await self._run_tool(load_tool("run_command"), {"command": command}, decision)
            return _build_reply(result, decision)

    async def _run_as_user(self, command: str) -> CallResult:
        from ...tools.builtin.shell.shell_run import run_shell

        run = replace(self._build_run(only_reads=False), sandbox=None)
        with exit_on_termination():
            try:
                return await run_shell(
                    command, self._workspace.root, self._timeout, run, env=os.environ
                )
            except ToolError as error:
                return CallResult("", error=str(error))

    async def _evaluate_and_call(
        self, name: str, args: Mapping[str, object], consent: Consent
    ) -> ToolReply:
        tool = self._tools.get(name)
        if name.startswith(PREFIX) or (tool and TOOLS[name].requires == "mcp"):
            return ToolReply(exit_codes.USAGE, error=OF_SERVER)
        if tool is None:
            return ToolReply(exit_codes.USAGE, error=describe_unknown_tool(name, self._tools))
        decision = await asyncio.to_thread(
            evaluate_tool_call, tool, args, self._workspace, self._policy
        )
        if decision.verdict == "deny":
            return ToolReply(
                exit_codes.FAILED,
                error=text("Not allowed: {reason}", reason=decision.reason),
                decision=decision,
            )
        if decision.verdict == "ask":
            reply = await consent(tool, args, decision)
            if reply is None:
                error = text(NEEDS_APPROVAL, reason=decision.reason)
                return ToolReply(exit_codes.NEEDS_ANSWER, error=error, decision=decision)
            if reply is False:
                return ToolReply(
                    exit_codes.FAILED, error="The user refused this call.", decision=decision
                )
            if isinstance(reply, str):
                return ToolReply(exit_codes.DONE, output=reply, decision=decision)
        return _build_reply(await self._run_tool(tool, args, decision), decision)

    async def build_request(
        self, tool: BaseTool, args: Mapping[str, object], decision: Decision
    ) -> Mapping[str, object]:
        """Build the approval request of a call, as a thread's question has it."""
        request: dict[str, object] = {"name": tool.name, "args": args, "always": decision.always}
        request["description"] = decision.reason
        request["sandbox"] = self.sandbox.confinement
        if get_effect(tool) == "edit":
            with suppress(OSError):  # without disk space for copies there is no diff
                [preview] = await preview_calls(
                    [PreviewCall(tool, args, self._seen)], self._workspace
                )
                request["diff"] = preview.metadata.get("diff", "")
        return request

    async def _run_tool(
        self, tool: BaseTool, args: Mapping[str, object], decision: Decision
    ) -> CallResult:
        run = self._build_run(only_reads=decision.rule == READS, checks=decision.commands)
        with exit_on_termination():
            result = await invoke(tool, args, run)
        self._seen.update(result.seen)
        self._todos = result.update.get("todos", self._todos)
        return result

    def _build_run(self, *, only_reads: bool, checks: tuple[str, ...] = ()) -> ToolRun:
        self._calls += 1
        return ToolRun(
            workspace=self._workspace,
            call_id=f"call_{self._calls}",
            outputs=self._outputs,
            command_timeout=self._timeout,
            seen=dict(self._seen),
            todos=list(self._todos),
            policy=self._policy,
            only_reads=only_reads,
            checks=checks,
            backups=self._backups,
            sandbox=self.sandbox,
            emit=self._emit,
            rag_servers=self._rag_servers,
            skills=self._skills,
        )


def read_object(text: bytes | str) -> dict[str, object]:
    """Parse the JSON object in a text; raise ValueError with the problem."""
    try:
        value: object = json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deep") from None
    if not isinstance(value, dict):
        raise ValueError("it is not an object")
    return cast("dict[str, object]", value)


def read_call(line: bytes) -> tuple[str, dict[str, object]]:
    """Parse the tool and the arguments from a line of JSON; raise ValueError if it is invalid."""
    asked = read_object(line)
    name, args = asked.get("tool"), asked.get("args", {})
    if not isinstance(name, str) or not isinstance(args, dict):
        raise ValueError("`tool` must be a string and `args` an object")
    return name, cast("dict[str, object]", args)


def _build_reply(result: CallResult, decision: Decision) -> ToolReply:
    return ToolReply(
        exit_code=exit_codes.DONE if result.ok else exit_codes.FAILED,
        output=result.output,
        error=result.error,
        decision=decision,
        metadata=result.metadata,
    )
