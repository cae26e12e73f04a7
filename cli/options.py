"""Options of every command that starts a run."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

_verbosity = {"is_on": False}


class PullRequestCommand(TyperCommand):
    """Command whose `--pr` may have no value, which means to ask."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments; a `--pr` without a value gets `ask`."""
        end = args.index("--") if "--" in args else len(args)
        own_args = ["--pr=ask" if arg == "--pr" else arg for arg in args[:end]]
        return super().parse_args(ctx, [*own_args, *args[end:]])


class OutputFormat(StrEnum):
    """Format of stdout."""

    text = "text"
    json = "json"
    stream_json = "stream-json"
    events = "events"


class InputFormat(StrEnum):
    """Format of stdin."""

    text = "text"
    stream_json = "stream-json"


class AnswerStyle(StrEnum):
    """How a terminal shows a conversation's answer; a program always gets it unchanged."""

    streamed = "streamed"
    whole = "whole"
    plain = "plain"


class Language(StrEnum):
    """Languages of the interface, as in `config/settings/early_settings.py`."""

    en = "en"
    zh = "zh"


class Mode(StrEnum):
    """Approval modes, as in `config/settings/schema.py`."""

    ask = "ask"
    edits = "edits"
    auto = "auto"
    read_only = "read-only"


ModeFlag = Annotated[
    Mode | None, typer.Option(help="Approval mode; default: from the configuration, else ask.")
]


class PullRequestAnswer(StrEnum):
    """Whether a pull request is asked about, as in `sdk/pull_requests/publication.py`."""

    ask = "ask"
    yes = "yes"


class ThinkingStrategy(StrEnum):
    """When the model thinks, as in `config/settings/schema.py`."""

    auto = "auto"
    enabled = "enabled"
    disabled = "disabled"


Folder = Annotated[
    Path, typer.Option("--folder", "-C", help="Project folder; default: the current folder.")
]
Model = Annotated[str, typer.Option("--model", "-m", help="PROVIDER/MODEL, such as openai/gpt-4o.")]
BaseUrl = Annotated[str, typer.Option(help="Endpoint with the chat-completions protocol.")]
Approval = Annotated[Mode | None, typer.Option("--mode", help="Approval mode.", show_default=False)]
Thinking = Annotated[
    ThinkingStrategy | None,
    typer.Option("--thinking", help="Thinking of the model.", show_default=False),
]
Timeout = Annotated[
    float | None, typer.Option("--timeout", min=0.001, max=1e7, help="Time limit in seconds.")
]
MaxTurns = Annotated[
    int | None,
    typer.Option("--max-turns", "--max-steps", min=1, help="Maximum model turns per message."),
]
MaxCost = Annotated[
    float | None,
    typer.Option("--max-cost", min=0.0001, max=1e6, help="Maximum cost per message in US dollars."),
]
PullRequest = Annotated[
    PullRequestAnswer | None,
    typer.Option(
        "--pr",
        help="Open a pull request for the result: ask first, or do not ask (yes).",
        show_default=False,
    ),
]
Output = Annotated[
    OutputFormat,
    typer.Option(
        "--output",
        help="text, json (final result), stream-json (every event), events (with paths).",
    ),
]


def set_verbose(is_wanted: bool) -> bool:
    """Turn the details of a run on for the rest of the process."""
    _verbosity["is_on"] |= is_wanted
    return is_wanted


def is_verbose() -> bool:
    """Return whether `--verbose` was given, before or after the command."""
    return _verbosity["is_on"]


Verbose = Annotated[
    bool,
    typer.Option(
        "--verbose",
        "-v",
        callback=set_verbose,
        help="Show request times, retries and full tool results on stderr.",
    ),
]
