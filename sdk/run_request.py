"""What a human sends to a run: refused where nothing can be done with it, and without secrets."""

from pathlib import Path

from ..config.errors import UsageError
from ..config.security.redaction import redacted
from ..nodes.agent.modes import chosen
from ..nodes.state import Options


def refuse_unusable(request: str, folder: Path) -> None:
    """Raise UsageError where there is no request, or a text that no file can hold."""
    if not request.strip():
        raise UsageError("the request is empty", hint="describe the task")
    for what, text in (("the request", request), ("the folder's name", str(folder))):
        try:
            text.encode()
        except UnicodeEncodeError:
            raise UsageError(f"{what} is not valid UTF-8", hint="use UTF-8 text") from None


def chosen_options(options: Options | None, agent: str) -> Options:
    """What a human chose for a conversation, without secrets in what is told with a message."""
    wanted = chosen(options or {}, agent)
    if "aside" in wanted:
        wanted["aside"] = [redacted(text) for text in wanted["aside"]]
    return wanted
