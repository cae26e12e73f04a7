"""`--input stream-json`: what a line of stdin says. One JSON object a line, `type` says which."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from ...config.errors import UsageError
from ...config.text import text
from ...sdk.interrupt_response import Answer


class _Line(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class UserLine(_Line):
    """Say something to the conversation, or begin one."""

    type: Literal["user"]
    text: str
    abandon: bool = False
    """Leave what is still under way."""


class AnswerLine(_Line):
    """Answer the question that ended the turn before, as `mcode resume` does."""

    type: Literal["answer"]
    approve: bool = False
    reject: str | None = None
    """Why; may be empty."""
    text: str | None = None
    """An answer in words."""
    decisions: list[Mapping[str, Any]] = []
    """One for each request, in its order."""
    question: str = ""
    """Id of the question that was read; empty: whatever the thread asks."""

    @property
    def answer(self) -> Answer:
        """The same for the SDK."""
        return Answer(self.approve, self.reject, self.text, self.decisions, self.question)


class ResumeLine(_Line):
    """Go on after a limit or an interruption."""

    type: Literal["resume"]


class InterruptLine(_Line):
    """Stop the turn that is under way; what has finished is kept."""

    type: Literal["interrupt"]


JsonLine = UserLine | AnswerLine | ResumeLine | InterruptLine
LINE: TypeAdapter[JsonLine] = TypeAdapter(Annotated[JsonLine, Field(discriminator="type")])
HINT = 'see `docs/headless.md`; a line is a JSON object such as {"type": "user", "text": "…"}'


def parse_line(line: bytes, number: int) -> JsonLine | None:
    """What the line says; None for an empty one. Raises UsageError, with its number."""
    if not line.strip():
        return None
    try:
        return LINE.validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = "".join(f"`{part}`: " for part in first["loc"] if isinstance(part, str))
        what = text(
            "line {number} of stdin: {place}{first}", number=number, place=place, first=first["msg"]
        )
        raise UsageError(what, hint=HINT) from None
