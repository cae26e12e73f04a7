"""One allowed call of a server's tool: its definition checked, its questions asked, its answer."""

import asyncio
import logging
from collections.abc import Mapping
from contextvars import copy_context
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from langgraph.errors import GraphInterrupt
from langgraph.runtime import Runtime
from langgraph.types import interrupt

from ...memory.journal import AskedCall
from ...tools.mcp.approved_definitions import record_approval
from ...tools.mcp.errors import McpError
from ...tools.mcp.input_request import InputAnswer, InputAnswers, InputRequest, InputRequired
from ...tools.mcp.mcp_access import McpAccess, ServerCall
from ...tools.mcp.questions import describe_question, read_decision
from ...tools.mcp.tool_adapter import McpTool
from ...tools.result import CallResult
from ...tools.runtime.result_redaction import without_secrets
from ...tools.tool_run import ToolRun
from ..approval.decisions import parse_decisions
from ..events.tool import ToolProgress
from ..run.context import Context, get_thread_id
from ..run.dependencies import Dependencies
from ..run.emit import emit
from ..run.interrupts import explain_refusal
from ..run.plain_answers import to_decisions
from ..tool_task import PendingCall, ToolTask, get_journal_key

CHANGED = (
    "The server has changed this tool since the call was allowed. It was not run; call it again"
)
_logger = logging.getLogger(__name__)


async def call_server_tool(
    tool: McpTool,
    task: ToolTask,
    runtime: Runtime[Context],
    deps: Dependencies,
    run: ToolRun,
) -> CallResult:
    """Return the answer to a call that the journal has begun; asks the user what the server asks.

    While a question is open the call is never sent again.
    """
    access, journal = deps.mcp, deps.journal
    if access is None or tool.definition.server not in access.servers:
        return CallResult(error=f"there is no MCP server `{tool.definition.server}` any more")
    thread, key = get_thread_id(runtime), get_journal_key(task["call"])
    asked, answers = None, None
    recorded_call = await asyncio.to_thread(journal.find_call, thread, key)
    if isinstance(recorded_call, AskedCall):
        asked = AskedQuestion.from_json(recorded_call.question)
        answers, asked = ask_user(asked, tool)
    if refusal := await _check_definition(tool, task["call"], access, deps.workspace.root):
        return CallResult(error=refusal)
    await asyncio.to_thread(journal.continue_call, thread, key)
    while True:
        call = _build_call(tool, task, runtime, run, answers)
        answer = await access.call(tool, task["call"]["args"], call)
        if not isinstance(answer, InputRequired):
            return without_secrets(answer)
        if asked and (again := asked.answer_again(answer)):
            answers, asked = again
            continue
        asked = AskedQuestion(answer, used=asked.used if asked else 0)
        await asyncio.to_thread(journal.ask_in_call, thread, key, asked.as_json())
        answers, asked = ask_user(asked, tool)
        await asyncio.to_thread(journal.continue_call, thread, key)


def _build_call(
    tool: McpTool,
    task: ToolTask,
    runtime: Runtime[Context],
    run: ToolRun,
    answers: InputAnswers | None,
) -> ServerCall:
    call_id = task["call"]["id"]
    node = copy_context()  # the connection's own task knows nothing of this run

    def report_progress(progress: float, total: float | None, message: str) -> None:
        node.copy().run(emit, runtime, ToolProgress(call_id, progress, total, message))

    elicit = runtime.context.pool.elicitation.build_answerer(tool)
    return ServerCall(run.call_id, run.outputs, report_progress, elicit, answers)


async def _check_definition(tool: McpTool, call: PendingCall, access: McpAccess, root: Path) -> str:
    """Return why the tool is another one than the call was allowed for; empty if it is not."""
    server = access.find_server(tool.definition.server)
    try:
        definitions = await access.get_connection(server).list_definitions()
    except McpError:
        return ""  # the call itself says what is wrong
    now = next(
        (definition for definition in definitions.tools if definition.name == tool.definition.name),
        None,
    )
    if now and call.get("definition", now.digest) != now.digest:
        return CHANGED
    try:
        await asyncio.to_thread(record_approval, access.home, server, now or tool.definition, root)
    except OSError as error:  # on a full disk it is asked again
        _logger.warning("the approved definition was not kept: %s", error)
    return ""


@dataclass(frozen=True)
class AskedQuestion:
    """What a server asks, and how much of it the user has answered."""

    required: InputRequired
    used: int = 0
    """How many answers of the user belong to earlier questions of the call."""
    answers: Mapping[str, InputAnswer] | None = None
    """The user's answers; None: not yet."""

    def as_json(self) -> dict[str, Any]:
        """Return it for the journal."""
        return {"required": asdict(self.required), "used": self.used}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "AskedQuestion":
        """Return what the journal has."""
        required: dict[str, Any] = data["required"]
        requests = {key: InputRequest(**request) for key, request in required["requests"].items()}
        asked = InputRequired(requests, required["state"], required["round"])
        return cls(asked, data["used"])

    def answer_again(self, required: InputRequired) -> "tuple[InputAnswers, AskedQuestion] | None":
        """Return the same answers if the server has forgotten and asks the same once more.

        They are given a second time only.
        """
        if (
            self.answers is None
            or required.round > 1
            or required.requests != self.required.requests
        ):
            return None
        answers = InputAnswers(self.answers, required.state, required.round)
        return answers, replace(self, required=required, answers=None)


def ask_user(asked: AskedQuestion, tool: McpTool) -> tuple[InputAnswers, AskedQuestion]:
    """Return the user's answers; interrupts the run until there are some that fit."""
    requests = asked.required.requests
    question = _build_question(requests, tool)
    received = list[object]()
    while True:
        try:
            received.append(interrupt(question))
        except GraphInterrupt as again:
            # answers that came before this question was asked belong to earlier ones
            newest = received[-1] if len(received) > asked.used else None
            decided = to_decisions(newest, question["review_configs"])
            answers = _read_answers(decided, requests)
            if answers is None:
                raise again if newest is None else explain_refusal(again, question) from None
            settled = replace(asked, used=max(asked.used, len(received)), answers=answers)
            return InputAnswers(answers, asked.required.state, asked.required.round), settled


def _read_answers(
    answer: object, requests: Mapping[str, InputRequest]
) -> dict[str, InputAnswer] | None:
    """Return the answer to each request by its key; None if one does not fit."""
    decisions = parse_decisions(answer) if answer is not None else []
    if len(decisions) != len(requests):
        return None
    answers = {
        key: read_decision(decision, request)
        for (key, request), decision in zip(requests.items(), decisions, strict=True)
    }
    fitting = {key: input_answer for key, input_answer in answers.items() if input_answer}
    return fitting if len(fitting) == len(requests) else None


def _build_question(requests: Mapping[str, InputRequest], tool: McpTool) -> dict[str, Any]:
    described = [describe_question(request, tool) for request in requests.values()]
    return {
        "action_requests": [action for action, _ in described],
        "review_configs": [config for _, config in described],
    }
