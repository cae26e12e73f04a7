"""A conversation's turn as text: the answer on stdout, once; all else on stderr.

What is said before a tool is called is no answer. A terminal shows it as it comes; a program that
reads stdout must not be given it, so there it waits until it is known what it is.
"""

from ...sdk import events as ev
from ..enums import AnswerStyle
from .console import open_console
from .markdown.live import view_for
from .output import echo
from .text_renderer import TextRenderer


class AnswerRenderer:
    """Shows one turn."""

    def __init__(self, style: AnswerStyle, *, show_thinking: bool = True) -> None:
        self._aside = TextRenderer(show_thinking=show_thinking)
        plain = style is AnswerStyle.plain
        self._view = None if plain else view_for(open_console(stderr=False))
        self._streams = style is AnswerStyle.streamed and self._view is not None
        self._said = ""
        """What the model has said since it called a tool, or since its last answer began."""
        self._has_ended = False
        """Whether that was all."""

    def show(self, event: ev.Event) -> None:
        """Show one event."""
        match event:
            case ev.Output(text=text):
                self._hear(text)
                return
            case ev.Retrying():
                self._forget()
            case ev.ToolCall() | ev.Question() | ev.Interrupted() | ev.Failure():
                self._put_aside()
            case ev.TokenUsage():
                self._has_ended = True
            case ev.Completion():
                self._answer(event)
                return
            case _:
                pass
        self._finish_view()
        self._aside.show(event)

    def stopping(self) -> None:
        """Say that the first Ctrl-C was heard."""
        self._finish_view()
        self._aside.stopping()

    def end(self, last: ev.Event | None) -> None:
        """Say what became of the thread and how to go on."""
        self._finish_view()
        self._aside.end(last)

    def _hear(self, text: str) -> None:
        if self._has_ended:  # another answer begins: the one before did not end the turn
            self._put_aside()
        self._aside.pause()
        self._said += text
        if self._streams and self._view:
            self._view.add(text)

    def _put_aside(self) -> None:
        """It was no answer: where it was not seen as it came it is told on stderr."""
        if self._said and not self._streams:
            self._aside.show(ev.Output(self._said))
        self._said, self._has_ended = "", False

    def _forget(self) -> None:
        self._said = ""
        if self._view:
            self._view.forget()

    def _finish_view(self) -> None:
        if self._view:
            self._view.end()

    def _answer(self, event: ev.Completion) -> None:
        """The answer; where the model said it by a tool it was not seen yet."""
        self._finish_view()
        if event.outcome != "answered":
            self._put_aside()
            return
        if self._view is None:
            echo(event.summary.strip())
        elif not (self._streams and self._said):
            self._view.add(event.summary)
            self._view.end()
        self._said, self._has_ended = "", False
