"""A conversation's turn as text: the answer on stdout, once; all else on stderr.

Text before a tool call is not the answer. A terminal shows it as it arrives; a program that reads
stdout must not receive it, so there the text is held until its kind is known.
"""

from typing import TYPE_CHECKING

from ...sdk import events as ev
from ..options import AnswerStyle
from .console import open_console
from .markdown.live import create_answer_view
from .output import echo
from .renderer import create_text_renderer

if TYPE_CHECKING:
    from rich.text import Text


class AnswerRenderer:
    """Shows one turn."""

    def __init__(self, style: AnswerStyle, *, show_thinking: bool = True) -> None:
        self._aside = create_text_renderer(show_thinking=show_thinking)
        plain = style is AnswerStyle.plain
        self._view = None if plain else create_answer_view(open_console(stderr=False))
        self._streams = style is AnswerStyle.streamed and self._view is not None
        self._said = ""
        """Text of the model since its last tool call, or since its last answer began."""
        self._has_ended = False
        """Whether that text is complete."""

    def show_event(self, event: ev.Event) -> None:
        """Show one event."""
        if ev.is_from_subagent(event):
            self._aside.show_event(event)
            return
        match event:
            case ev.Output(text=text):
                self._show_text(text)
                return
            case ev.Retrying() | ev.ModelChanged():
                self._discard_text()
            case ev.ToolCall() | ev.Question() | ev.Interrupted() | ev.Failure():
                self._put_aside()
            case ev.TokenUsage():
                self._has_ended = True
            case ev.Completion():
                self._show_answer(event)
                return
            case _:
                pass
        self._finish_view()
        self._aside.show_event(event)

    @property
    def live_rows(self) -> "list[Text]":
        """What runs, as rows of the moment."""
        return self._aside.live_rows

    def pause(self) -> None:
        """End the open line or block before other output."""
        self._finish_view()
        self._aside.pause()

    def show_stopping(self) -> None:
        """Confirm the first Ctrl-C."""
        self._finish_view()
        self._aside.show_stopping()

    def show_end(self, last: ev.Event | None) -> None:
        """Show how the turn ended and how to continue."""
        self._finish_view()
        self._aside.show_end(last)

    def _show_text(self, text: str) -> None:
        if self._has_ended:  # another answer begins: the previous one did not end the turn
            self._put_aside()
        self._aside.pause()
        self._said += text
        if self._streams and self._view:
            self._view.add_text(text)

    def _put_aside(self) -> None:
        """Print the text on stderr, as it was not the answer, unless it was shown as it arrived."""
        if self._said and not self._streams:
            self._aside.show_event(ev.Output(self._said))
        self._said, self._has_ended = "", False

    def _discard_text(self) -> None:
        self._said = ""
        if self._view:
            self._view.discard_tail()

    def _finish_view(self) -> None:
        if self._view:
            self._view.finish_answer()

    def _show_answer(self, event: ev.Completion) -> None:
        """Print the answer; one that the model gave by a tool was not shown yet."""
        self._finish_view()
        if event.outcome != "answered":
            self._put_aside()
            return
        if self._view is None:
            echo(event.summary.strip())
        elif not (self._streams and self._said):
            self._view.add_text(event.summary)
            self._view.finish_answer()
        self._said, self._has_ended = "", False
