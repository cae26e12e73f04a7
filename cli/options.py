"""Options of every command that begins a run."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class OutputFormat(StrEnum):
    """What stdout carries."""

    text = "text"
    json = "json"
    stream_json = "stream-json"


class InputFormat(StrEnum):
    """What stdin carries."""

    text = "text"
    stream_json = "stream-json"


class AnswerStyle(StrEnum):
    """How a conversation's answer reaches a terminal; a program is given it as it is."""

    streamed = "streamed"
    whole = "whole"
    plain = "plain"


class Language(StrEnum):
    """What the interface speaks, as `config/settings/language.py` has it."""

    en = "en"
    zh = "zh"


class Mode(StrEnum):
    """The approval modes, as `config/settings/schema.py` has them."""

    ask = "ask"
    edits = "edits"
    auto = "auto"
    read_only = "read-only"


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
