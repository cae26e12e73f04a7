"""`mcode init`: an agent inspects the project and writes AGENTS.md, with the usual approval."""

from pathlib import Path
from typing import Annotated

import typer

from ..execution.single_turn import run_single_turn
from ..options import BaseUrl, Folder, Model, Output, OutputFormat, Timeout
from ..prompts.trust import TrustFlag


def init(
    wish: Annotated[str, typer.Argument(help="Extra instructions.")] = "",
    folder: Folder = Path("."),
    model: Model = "",
    base_url: BaseUrl = "",
    timeout: Timeout = None,
    trust: TrustFlag = False,
    output: Output = OutputFormat.text,
) -> None:
    """Create or update AGENTS.md (asks before writing).

    Exit codes: 0 answered, 1 failed, 2 wrong input, 3 limit reached, 4 waiting for an answer, 130
    interrupted.
    """
    options = {"agent": "build", "model": model, "base_url": base_url}
    request = build_request(wish)
    raise typer.Exit(
        run_single_turn(
            request,
            options,
            folder=folder,
            trust=trust,
            output=output,
            title="mcode init",
            seconds=timeout or 0.0,
        )
    )


def build_request(wish: str) -> str:
    """Return the message for the agent, with the user's extra instructions."""
    words = Path(__file__).with_name("init.md").read_text(encoding="utf-8").strip()
    return f"{words}\n\nThe user adds: {wish}" if wish.strip() else words
