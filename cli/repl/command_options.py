"""The options of `mcode chat`, in groups: which thread, how far, and how to speak with it."""

from pathlib import Path
from typing import Annotated

import typer

from ..enums import InputFormat

Message = Annotated[
    str, typer.Argument(help="Message; default: piped input, or start a conversation.")
]

Continue = Annotated[
    bool, typer.Option("--continue", "-c", help="Continue the folder's latest conversation.")
]
Resume = Annotated[
    str | None,
    typer.Option(
        "--resume", metavar="[ID|NAME]", help="Resume a conversation by ID or name; omit to choose."
    ),
]
Fork = Annotated[
    bool,
    typer.Option("--fork", help="Continue in a copy; the original conversation does not change."),
]
Name = Annotated[str, typer.Option("--name", help="Name of the conversation.")]
NoHistory = Annotated[
    bool, typer.Option("--no-history", help="Delete the conversation when it ends.")
]
NoTitle = Annotated[bool, typer.Option("--no-title", help="Do not generate a title.")]
Print = Annotated[
    bool, typer.Option("--print", "-p", help="Answer one message and exit; never open a prompt.")
]

Plan = Annotated[bool, typer.Option("--plan", help="Start in plan mode: write only the plan.")]
Agent = Annotated[
    str, typer.Option("--agent", help="Agent to use; list them with `mcode agents list`.")
]
MaxTurns = Annotated[
    int | None, typer.Option("--max-turns", min=1, help="Maximum model turns per message.")
]
MaxCost = Annotated[
    float | None,
    typer.Option("--max-cost", min=0.0001, max=1e6, help="Maximum cost per message in US dollars."),
]

Stream = Annotated[
    bool,
    typer.Option(
        "--stream/--no-stream", help="Show the answer while the model writes it (terminal only)."
    ),
]
Input = Annotated[
    InputFormat, typer.Option("--input", help="text, stream-json (one message per line on stdin).")
]
JsonSchema = Annotated[
    Path | None,
    typer.Option(
        "--json-schema", metavar="FILE", help="Answer with JSON that matches this schema."
    ),
]
