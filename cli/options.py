"""Options of every command that begins a run."""

from pathlib import Path
from typing import Annotated

import typer

from .enums import Mode, OutputFormat

Folder = Annotated[
    Path, typer.Option("--folder", "-C", help="Project folder; default: the current folder.")
]
Model = Annotated[str, typer.Option("--model", "-m", help="PROVIDER/MODEL, such as openai/gpt-4o.")]
BaseUrl = Annotated[str, typer.Option(help="Endpoint with the chat-completions protocol.")]
Approval = Annotated[Mode | None, typer.Option("--mode", help="Approval mode.", show_default=False)]
Timeout = Annotated[
    float | None, typer.Option("--timeout", min=0.001, max=1e7, help="Time limit in seconds.")
]
Output = Annotated[
    OutputFormat,
    typer.Option("--output", help="text, json (final result), stream-json (every event)."),
]
