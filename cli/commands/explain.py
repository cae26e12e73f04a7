"""`mcode explain`: a read-only agent explains a part of the project."""

from pathlib import Path
from typing import Annotated

import typer

from ...config.errors import UsageError
from ..execution.single_turn import run_single_turn
from ..options import BaseUrl, Folder, Model, Output, OutputFormat, Timeout
from ..prompts.trust import TrustFlag


def explain(
    target: Annotated[str, typer.Argument(help="A file, a symbol, or a question.")],
    folder: Folder = Path("."),
    model: Model = "",
    base_url: BaseUrl = "",
    timeout: Timeout = None,
    trust: TrustFlag = False,
    output: Output = OutputFormat.text,
) -> None:
    """Explain a file, a symbol, or answer a question about the code. Changes and runs nothing.

    Continue the conversation with `mcode chat --continue`. Exit codes: 0 answered, 1 failed, 2
    wrong input, 3 limit reached, 4 waiting for an answer, 130 interrupted.
    """
    if not target.strip():
        raise UsageError("nothing to explain given", hint="give a file or a question")
    words = Path(__file__).with_name("explain.md").read_text(encoding="utf-8").strip()
    options = {"agent": "explore", "mode": "read-only", "model": model, "base_url": base_url}
    raise typer.Exit(
        run_single_turn(
            words.format(target=target),
            options,
            folder=folder,
            trust=trust,
            output=output,
            seconds=timeout or 0.0,
        )
    )
