"""One allowed call of a server's tool: its definition checked, its questions asked, its answer."""

import asyncio
import logging
from contextvars import copy_context
from pathlib import Path

from langgraph.runtime import Runtime

from ...memory.journal import AskedCall
from ...tools.mcp.approved_definitions import keep_approved
from ...tools.mcp.errors import McpError
from ...tools.mcp.input_request import InputAnswers, InputRequired
from ...tools.mcp.mcp_access import McpAccess, ServerCall
from ...tools.mcp.tool_adapter import McpTool
from ...tools.result import CallResult
from ...tools.runtime.result_redaction import without_secrets
from ...tools.tool_run import ToolRun
from ..events.tool import ToolProgress
from ..run.context import Context, get_thread_id
from ..run.dependencies import Dependencies
from ..run.emit import emit
from ..tool_task import PendingCall, ToolTask, get_journal_key
from .server_questions import AskedQuestion, ask_user

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
        await asyncio.to_thread(keep_approved, access.home, server, now or tool.definition, root)
    except OSError as error:  # on a full disk it is asked again
        _logger.warning("the approved definition was not kept: %s", error)
    return ""
