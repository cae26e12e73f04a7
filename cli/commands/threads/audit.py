"""`mcode threads audit` and `trace`: what was decided, and what each step took."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ....config import exit_codes, paths
from ...i18n.catalogs import t
from ...i18n.message_translation import translate
from ...rendering.humanize import format_cost
from ...rendering.output import echo, echo_json
from .listing import AsJson

if TYPE_CHECKING:
    from ....sdk.threads.trace import AgentTrace, TraceSpan


def audit(
    thread: Annotated[
        str | None,
        typer.Argument(help="Thread ID, ID prefix, or name; default: the folder's latest."),
    ] = None,
    output_format: Annotated[
        Literal["jsonl"], typer.Option("--format", help="One JSON object a line.")
    ] = "jsonl",
    verify: Annotated[
        bool,
        typer.Option("--verify", help="Check the chain of hashes and the journal; print no lines."),
    ] = False,
) -> None:
    """Print who was asked what, the answers, and each call with the rule that let it run.

    With --verify, exit code 1 if a line or a result was changed, or is missing.
    """
    from ....memory.threads.audit import read_records
    from ...execution.thread_argument import resolve_thread

    row = resolve_thread(thread)
    if verify:
        _verify(row.thread_id)
        return
    for record in read_records(paths.locate_database(paths.locate_home()), row.thread_id):
        echo_json(record, indent=None)


def _verify(thread_id: str) -> None:
    from ....memory.threads.audit import verify_audit

    report = verify_audit(paths.locate_database(paths.locate_home()), thread_id)
    for problem in report.problems:
        echo(translate(problem))
    if report.problems:
        raise typer.Exit(exit_codes.FAILED)
    echo(t("audit.verified", count=report.count, head=report.head or "-"))
    if report.count:
        key = "audit.witnessed" if report.witness else "audit.unwitnessed"
        echo(t(key, number=report.witness))


def trace(
    thread: Annotated[
        str | None,
        typer.Argument(help="Thread ID, ID prefix, or name; default: the folder's latest."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show a thread's requests and tool calls with times, tokens and cost; needs `--log`."""
    from ....sdk.threads.trace import read_trace
    from ...execution.thread_argument import resolve_thread

    traces = read_trace(resolve_thread(thread), paths.locate_home())
    if as_json:
        echo_json([asdict(each) for each in traces])
        return
    for line in _format_traces(traces):
        echo(line)


def _format_traces(traces: "list[AgentTrace]") -> Iterator[str]:
    number = 0
    for trace in traces:
        yield trace.agent
        for request in trace.requests:
            number += 1
            yield f"  {number:>3}  {_format_request(request)}"
            for call in request.calls:
                yield f"         {call.name}  {_format_end(call)}".rstrip()


def _format_request(request: "TraceSpan") -> str:

    parts = [request.name, _format_end(request)]
    if request.input is not None and request.output is not None:
        share = round(100 * (request.cached or 0) / request.input) if request.input else 0
        counts = {"input": f"{request.input:,}", "output": f"{request.output:,}"}
        parts.append(t("run.tokens", cached=share, **counts))
    parts.append("" if request.cost is None else format_cost(request.cost))
    return "  ".join(filter(None, parts))


def _format_end(span: "TraceSpan") -> str:
    """Return the seconds, and the first line of the error if there was one."""
    seconds = "" if span.seconds is None else f"{span.seconds:.1f} s"
    error = span.error.strip().partition("\n")[0]
    return "  ".join(filter(None, (seconds, t("trace.failed", error=error) if error else "")))
