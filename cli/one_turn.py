"""One turn of a conversation that a command begins with words of its own."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .choices import OutputFormat
from .importing import without_collector
from .trust_question import settle_trust

if TYPE_CHECKING:
    from ..nodes.state import Options

Folder = Annotated[
    Path, typer.Option("--folder", "-C", help="The project; default: the current folder.")
]
Model = Annotated[str, typer.Option("--model", "-m", help="PROVIDER/MODEL, such as openai/gpt-4o.")]
BaseUrl = Annotated[str, typer.Option(help="Endpoint that speaks the chat-completions protocol.")]
Output = Annotated[
    OutputFormat, typer.Option(help="text, json (the end), stream-json (every event).")
]


def one_turn(
    message: str,
    options: "Options",
    *,
    model: str,
    base_url: str,
    folder: Path,
    trust: bool,
    output: OutputFormat,
) -> int:
    """Say it on a new thread and show the turn to its end; the exit code."""
    settle_trust(folder, yes=trust, output=output, tests=False)
    with without_collector():
        from .drive import drive
        from .threads import open_index

    open_index()  # tells of a damaged one
    if model:
        options = {**options, "model": model}
    if base_url:
        options = {**options, "base_url": base_url}
    return drive(lambda runner: runner.chat(message, folder=folder, options=options), output)
