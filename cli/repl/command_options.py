"""The options of `mcode chat`, in groups: which thread, how far, and how to speak with it."""

from pathlib import Path
from typing import Annotated

import typer

from ..enums import InputFormat

Message = Annotated[
    str, typer.Argument(help="What to say; default: what is piped, or a conversation.")
]

Continue = Annotated[
    bool, typer.Option("--continue", "-c", help="Go on with the folder's latest conversation.")
]
Resume = Annotated[
    str | None,
    typer.Option("--resume", metavar="[ID|NAME]", help="Go on with this one; alone: pick one."),
]
Fork = Annotated[
    bool, typer.Option("--fork", help="Go on in a copy; the conversation itself stays as it is.")
]
Name = Annotated[str, typer.Option("--name", help="A name to call the conversation by.")]
NoHistory = Annotated[
    bool, typer.Option("--no-history", help="Delete the conversation when it has ended.")
]
NoTitle = Annotated[
    bool, typer.Option("--no-title", help="Let the model make no title for the list of threads.")
]

Plan = Annotated[bool, typer.Option("--plan", help="Plan first: only the plan may be written.")]
Agent = Annotated[str, typer.Option("--agent", help="Who speaks: `mcode agents list`.")]
MaxTurns = Annotated[
    int | None, typer.Option("--max-turns", min=1, help="Model turns for a message, at most.")
]
MaxCost = Annotated[
    float | None,
    typer.Option("--max-cost", min=0.0001, max=1e6, help="US dollars for a message, at most."),
]
Timeout = Annotated[
    float | None, typer.Option("--timeout", min=0.001, max=1e7, help="Seconds, at most.")
]

Stream = Annotated[
    bool, typer.Option("--stream/--no-stream", help="Show the answer as it comes, at a terminal.")
]
Input = Annotated[
    InputFormat, typer.Option("--input", help="text, stream-json (a message a line, on stdin).")
]
JsonSchema = Annotated[
    Path | None,
    typer.Option("--json-schema", metavar="FILE", help="Answer with JSON that fits this schema."),
]
