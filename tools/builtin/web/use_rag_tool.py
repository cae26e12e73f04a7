"""The `use_rag_tool` tool: asks a configured retrieval server one question."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing, suppress
from typing import cast

from langchain_core.messages import AIMessageChunk, HumanMessage
from langchain_core.tools import BaseTool

from ....config.errors import MaxAgentError
from ....config.security.redaction import redact
from ....config.settings.schema import RagServer
from ....models.chat_completions.dialect import ChatCompletionsDialect
from ....models.http.client import EndpointClient
from ....models.http.dialect import RequestOptions
from ....models.providers import Provider
from ....models.resolver import ResolvedModel
from ...definition import tool
from ...foreign_text import wrap_foreign_text
from ...process.output_capture import OutputRecorder
from ...process.stream_redaction import RedactingSink
from ...rag_servers import describe_missing, find_server
from ...result import CallResult, ToolError
from ...tool_run import Run, ToolRun

# Characters of an answer that are taken
MAX_ANSWER_LENGTH = 2_000_000


@tool("fetch")
async def use_rag_tool(query: str, server_name: str = "", *, run: Run) -> CallResult:
    """Ask a retrieval server."""
    servers: Mapping[str, RagServer] = run.rag_servers
    addresses = {name: server.base_url for name, server in servers.items()}
    name = find_server(server_name, addresses)
    if not name:
        raise ToolError(describe_missing(server_name, addresses))
    if not query.strip():
        raise ToolError("`query` is empty; ask a whole question")
    if redact(query) != query:
        raise ToolError("the query contains a secret, which must not leave this machine")
    return await _ask(name, servers[name], query, run)


def describe_servers(offered: BaseTool, servers: Mapping[str, RagServer]) -> BaseTool:
    """Return the tool with the servers in its description."""
    lines = [f"- {name}: {server.description}".rstrip(": ") for name, server in servers.items()]
    return offered.model_copy(update={"description": "\n".join([offered.description, *lines])})


async def _ask(name: str, server: RagServer, query: str, run: ToolRun) -> CallResult:
    resolved = _resolve_server(name, server)
    dialect = ChatCompletionsDialect(resolved)
    client = EndpointClient(resolved, dialect)
    recorder = OutputRecorder(run.outputs, run.call_id)
    sink = RedactingSink(lambda piece: _take(recorder, run, piece))
    request = dialect.build_request([HumanMessage(query)], b"", RequestOptions())
    length = 0
    try:
        answer = cast("AsyncGenerator[AIMessageChunk]", client.stream_answer(request))
        async with aclosing(answer):
            async for chunk in answer:
                length += len(chunk.text)
                sink.add(chunk.text.encode(errors="replace"))
                if length > MAX_ANSWER_LENGTH:
                    break
    except MaxAgentError as error:
        hint = f"; {error.hint}" if error.hint else ""
        raise ToolError(f"the server `{name}` did not answer: {error.message}{hint}") from error
    finally:
        with suppress(OSError):
            sink.close()
            recorder.close()
        await client.close()
    if not length:
        raise ToolError(f"the server `{name}` gave an empty answer")
    facts = {"server": name, "host": resolved.host, "characters": length}
    stored = {"output_file": recorder.stored_id} if recorder.stored_id else {}
    text = wrap_foreign_text(recorder.to_text(), f"the server `{name}` ({resolved.host})")
    return CallResult(text, metadata={**facts, **stored})


def _take(recorder: OutputRecorder, run: ToolRun, piece: bytes) -> None:
    recorder.add(piece)
    run.emit(piece.decode(errors="replace"))


def _resolve_server(name: str, server: RagServer) -> ResolvedModel:
    if not server.base_url.startswith(("http://", "https://")):
        raise ToolError(f"`rag.servers.{name}.base_url` is not an http(s) address")
    return ResolvedModel(
        provider=Provider("rag"),
        model=server.model or name,
        base_url=server.base_url.rstrip("/"),
        api_key=server.api_key,
        read_seconds=server.timeout,
    )
