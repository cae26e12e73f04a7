"""Each tool of a public server, called once in a thread by a scripted model."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mcp_calls import SampleCall
from mcp_servers import PublicServer
from program import Ended, Program
from provider import Provider

from maxagent.tools.mcp.tool_names import make_tool_name

SUMMARY = "Each tool was called."


@dataclass(frozen=True)
class ThreadReport:
    """What one thread showed."""

    server: str
    transport: str
    calls: int
    faults: tuple[str, ...] = ()


def try_thread(public: PublicServer, calls: Sequence[SampleCall], folder: Path) -> ThreadReport:
    """Add the server, test it, and let a model call each of its tools."""
    transport = "HTTP" if public.url else "stdio"
    with Provider() as provider:
        program = Program(folder, provider.url)
        write_definition(folder, public)
        tested = program.run("mcp", "test", public.name)
        if tested.code:
            return ThreadReport(public.name, transport, 0, (f"`mcp test`: {tested.stderr[-200:]}",))
        answers = [
            {
                "tool_calls": [
                    {"name": make_tool_name(public.name, call.tool), "args": call.arguments}
                ]
            }
            for call in calls
        ]
        provider.script([*answers, {"text": SUMMARY}])
        ended = program.chat("Call each tool.", "--mode", "auto")
    return ThreadReport(public.name, transport, len(calls), tuple(find_faults(ended, calls)))


def write_definition(folder: Path, public: PublicServer) -> None:
    """Write the user's file of servers."""
    file = folder / ".config" / "maxagent" / "mcp_servers.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"servers": {public.name: public.definition}}))


def find_faults(ended: Ended, calls: Sequence[SampleCall]) -> list[str]:
    """Return what did not go as it must."""
    results = ended.told("tool_result")
    if ended.code or ended.last.get("summary") != SUMMARY:
        return [f"exit code {ended.code}: {json.dumps(ended.last)[:300]} {ended.stderr[-200:]}"]
    if len(results) != len(calls):
        return [f"{len(results)} results of {len(calls)} calls"]
    return [
        f"`{call.tool}`: {json.dumps(result)[:200]}"
        for call, result in zip(calls, results, strict=True)
        if result["ok"] == call.fails
    ]
