"""`mcode resume`: go on with a thread where it was, or answer what it asks."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...config.errors import UsageError
from ..enums import AnswerStyle, Mode, OutputFormat
from ..lazy_imports import without_collector
from ..prompts.trust import TrustFlag, settle_trust

if TYPE_CHECKING:
    from ...memory.threads.record import ThreadRow


def resume(
    thread: Annotated[
        str | None,
        typer.Argument(help="Id, its beginning, or name; default: the folder's latest."),
    ] = None,
    approve: Annotated[bool, typer.Option("--approve", help="Yes to what is asked.")] = False,
    reject: Annotated[
        str | None, typer.Option("--reject", metavar="WHY", help="No, and why.")
    ] = None,
    answer: Annotated[
        str | None, typer.Option("--answer", metavar="TEXT", help="Answer in words.")
    ] = None,
    model: Annotated[str, typer.Option("--model", "-m", help="Another model from here on.")] = "",
    base_url: Annotated[str, typer.Option(help="Another endpoint.")] = "",
    mode: Annotated[
        Mode | None, typer.Option(help="Another approval mode.", show_default=False)
    ] = None,
    trust: TrustFlag = False,
    output: Annotated[
        OutputFormat, typer.Option(help="text, json (the end), stream-json (every event).")
    ] = OutputFormat.text,
) -> None:
    """Go on with a thread exactly where it was; what had finished is not done again."""
    if approve and reject is not None:
        raise UsageError("`--approve` and `--reject` exclude each other", hint="choose one")
    row = _free_thread(thread)
    is_chat = row.graph == "chat"
    tests = not is_chat and row.graph != "edit" and not row.options.get("skip_tests")
    settle_trust(Path(row.folder), yes=trust, output=output, tests=tests)
    with without_collector():
        from ...nodes.context import Context
        from ...sdk.interrupt_response import Answer
        from ..execution.run import drive

    given = approve or reject is not None or answer is not None
    said = Answer(approve, reject, answer) if given else None
    context = Context(mode=mode.value if mode else "", model=model, base_url=base_url)
    thread_id, style = row.thread_id, AnswerStyle.streamed if is_chat else None
    raise typer.Exit(
        drive(lambda runner: runner.resume(thread_id, said, context=context), output, style)
    )


def _free_thread(text: str | None) -> "ThreadRow":
    """The thread that is meant; one that is held is told now, before LangGraph is imported."""
    from ...config import paths
    from ...memory.threads.lease import refuse_held
    from ..execution.thread_argument import which_thread

    row = which_thread(text)
    refuse_held(paths.home(), row.thread_id)
    return row
