"""`mcode explain`: an agent that only reads looks at the project and explains a part of it."""

from pathlib import Path
from typing import Annotated

import typer

from ...config.errors import UsageError
from ..enums import OutputFormat
from ..execution.single_turn import one_turn
from ..options import BaseUrl, Folder, Model, Output
from ..prompts.trust import TrustFlag


def explain(
    target: Annotated[str, typer.Argument(help="A file, a name in the code, or a question.")],
    folder: Folder = Path("."),
    model: Model = "",
    base_url: BaseUrl = "",
    trust: TrustFlag = False,
    output: Output = OutputFormat.text,
) -> None:
    """Explain a file, a name in the code, or whatever is asked. Nothing is changed or run.

    It is a conversation, which `mcode chat --continue` goes on with. Exit codes: 0 answered,
    1 failed, 2 wrong input, 3 a limit was reached, 4 waiting for an answer, 130 interrupted.
    """
    if not target.strip():
        raise UsageError("nothing to explain is named", hint="name a file, or ask a question")
    words = Path(__file__).with_name("explain.md").read_text(encoding="utf-8").strip()
    options = {"agent": "explore", "mode": "read-only", "model": model, "base_url": base_url}
    raise typer.Exit(
        one_turn(words.format(target=target), options, folder=folder, trust=trust, output=output)
    )
