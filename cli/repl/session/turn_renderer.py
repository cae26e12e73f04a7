"""Output of a turn: finished lines above the prompt, the unfinished end inside it."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from rich.text import Text

from ....config.settings.loader import load_settings
from ....sdk import events as ev
from ....sdk.startup_notices import STANDING, adapt_to_conversation
from ...execution import terminal_signals
from ...execution.verbose import DetailView
from ...i18n.catalogs import t
from ...i18n.stored_messages import translate_stored
from ...options import is_verbose
from ...rendering.block_printer import EDGE
from ...rendering.blocks.renderer import BlockRenderer
from ...rendering.blocks.todos import count_done
from ...rendering.console import open_console, render_lines, style_sentence
from ...rendering.listings.threads import SHORT_ID
from ...rendering.progress import format_progress
from ...rendering.subagents.running_children import RunningChildren
from ...rendering.text_renderer import TextRenderer
from ...rendering.turn_meter import TurnMeter
from .provider_wait import ProviderWait
from .session import Session

if TYPE_CHECKING:
    from ....sdk.events import TokenUsage

# Share of the limit, or of the window without one, from which on it is nearly full
NEARLY_FULL = 0.9
# Events that the status line shows, or that a conversation need not show
SILENT_EVENTS = (
    *(ev.RunStarted, ev.RoleStarted, ev.Completion, ev.Interrupted),
    ev.Steered,
)


def build_warning(usage: "TokenUsage", limit: int) -> str:
    """Return the warning after a request; empty: there is room.

    `limit` are the tokens from which on the conversation is compacted; 0: it never is.
    """
    length = usage.context_length
    if not length or usage.window < (limit or length) * NEARLY_FULL:
        return ""
    used = f"{usage.window:,}"
    if limit:
        return t("repl.context.nearly_full", used=used, limit=f"{limit:,}")
    return t("repl.context.full", used=used, length=f"{length:,}")


class TurnView:
    """Shows one turn, and keeps the session's state up to date."""

    def __init__(self, session: Session, *, is_beside: bool = False) -> None:
        """Create it; `is_beside`: the turn is of another thread, and changes no state of this."""
        self._session, self._is_beside = session, is_beside
        self._console = open_console(stderr=False)
        is_plain = self._console.is_dumb_terminal  # which gets the unformatted text
        shows_thinking = _shows_thinking(session)
        self._blocks: BlockRenderer | None = None
        if is_plain:
            self._renderer = TextRenderer(show_thinking=shows_thinking, console=self._console)
        else:
            self._renderer = self._blocks = BlockRenderer(
                show_thinking=shows_thinking,
                console=self._console,
                show_rows=self._show_tail,
                keep_fold=session.folds.append,
            )
        self._details = DetailView(self._console) if is_verbose() else None
        self._meter = TurnMeter()
        self._children = session.children = RunningChildren()
        self._has_proposed = self._has_changed_files = False
        self._is_compacting = False
        self._rest = ""
        """The incomplete line; the answer's own rest is in its view."""

    async def show_events(self, events: AsyncGenerator[ev.Event]) -> ev.Event | None:
        """Show a stream to its end; return the last event."""
        last: ev.Event | None = None
        async with aclosing(events):
            async for last in events:
                self.show_event(last)
        return last

    def show_event(self, event: ev.Event) -> None:
        """Show one event; do not repeat a state that has not changed."""
        self._meter.count_event(event)
        self._children.track_event(event)
        if isinstance(event, ev.ToolResult) and event.ok and event.metadata.get("diff"):
            self._has_changed_files = True
        if isinstance(event, ev.Steered):
            self._print_rendered(self._renderer.pause)  # the message stands below what was read
        if not ev.is_from_subagent(event):
            self._update_session(event)
        elif not isinstance(event, ev.Notice):
            return
        if not self.is_news(event):
            return
        if isinstance(event, ev.Notice):
            event = replace(event, text=adapt_to_conversation(event.text))
        self._print_rendered(partial(self._render_event, event))
        if isinstance(event, ev.Progress) and event.task != "wait":
            self._session.prompt.show_tail(f"  ⋯ {format_progress(event)}")
        elif self._rest or not isinstance(event, (ev.Output, ev.Thinking)):
            self._session.prompt.show_tail(self._rest or self._render_running_calls())

    def _render_event(self, event: ev.Event) -> None:
        if isinstance(event, ev.Failure):  # a conversation continues in another way
            event = replace(event, thread_id="")
        if isinstance(event, SILENT_EVENTS):
            self._renderer.pause()
        else:
            self._renderer.show_event(event)
        if self._details:
            self._details.show_event(event)

    def _print_rendered(self, render: Callable[[], None]) -> None:
        """Print what a function writes on the console above the prompt."""
        with self._console.capture() as written:
            render()
        lines, ended, self._rest = (self._rest + written.get()).rpartition("\n")
        self._session.is_below_command = False  # a block has its own row of air
        self._session.prompt.print_above(lines + ended)

    def show_end(self, last: ev.Event | None) -> None:
        """Show what the turn cost, and what it left open."""
        self._session.prompt.show_tail("")
        if isinstance(last, ev.Question):
            reason = translate_stored(last.description).rstrip(".。")  # a provider's own sentence
            thread = last.thread_id[:SHORT_ID]
            self._show_note(t(_choose_open_words(last), why=reason, thread=thread), "yellow")
        if isinstance(last, ev.Failure):
            self._show_note(t("repl.failed"), "dim")
        waiting = [card_id[:SHORT_ID] for card_id in self._session.proposals]
        if waiting and self._has_proposed:
            words = t("repl.proposals", count=len(waiting), ids=" ".join(waiting))
            self._show_note(words, "cyan")
        if self._meter.tokens:
            meter, is_brief = self._meter, self._blocks is not None
            self._show_note(meter.format_brief() if is_brief else meter.format_summary(), "dim")
        if self._has_changed_files and self._blocks and not self._is_beside:
            row = style_sentence(self._console, t("repl.next"), "dim")
            self._session.show(Text.assemble(EDGE, row))

    def _show_note(self, text: str, style: str) -> None:
        """Show a note below the turn, at its left edge and apart from it."""
        self._session.show(f"\n{EDGE}{text}" if self._blocks else text, style)

    def show_interruption(self) -> None:
        """Keep what the turn has shown so far."""
        if self._blocks:
            self._print_rendered(self._blocks.show_stopped)
        else:
            for call in self._renderer.running_calls:
                self._session.show(call, "yellow")
        self.show_event(ev.Interrupted(self._session.thread))
        self._session.prompt.show_tail("")

    def _render_running_calls(self) -> str:
        if self._blocks:
            rows = self._blocks.live_rows
            return "".join(map(render_lines, [Text(), *rows] if rows else [])).rstrip("\n")
        return "\n".join(render_lines(call).rstrip("\n") for call in self._renderer.running_calls)

    def _show_tail(self, rows: Sequence[Text]) -> None:
        self._session.prompt.show_tail("".join(map(render_lines, rows)).rstrip("\n"))

    def is_news(self, event: ev.Event) -> bool:
        """Return whether the event says what was not said before, and remember it."""
        match event:
            case ev.ModeChanged():
                about = event.type
            case ev.Notice(text=text) if text.startswith(STANDING):
                about = next(words for words in STANDING if text.startswith(words))
            case _:
                return True
        last_shown = self._session.standing_words.get(about)
        self._session.standing_words[about] = event
        return last_shown != event

    def _warn_nearly_full(self, usage: ev.TokenUsage) -> None:
        """Warn once in a thread, and again after it was compacted."""
        session = self._session
        if self._is_compacting:
            return  # it is being done, and the usage is that of the summary
        if warning := build_warning(usage, session.context_limit):
            if not session.is_warned:
                session.show(warning, "yellow")
            session.is_warned = True

    def _track_wait(self, event: ev.Event) -> None:
        match event:
            case ev.Retrying(seconds=seconds) if seconds:
                self._session.wait = ProviderWait(seconds, is_retry=True)
            case ev.Progress(task="wait", done=done, total=total):
                self._session.wait = ProviderWait(total - done)
            case _:
                self._session.wait = None

    def _update_session(self, event: ev.Event) -> None:
        session = self._session
        if self._is_beside:
            return
        self._track_wait(event)
        match event:
            case ev.Todos(items=items):
                session.todos = items
                done = round(100 * count_done(items) / max(len(items), 1))
                session.prompt.send_escape_codes(terminal_signals.build_progress_code("busy", done))
            case ev.RunStarted():
                session.model, session.mode = event.model, event.mode
                session.sandbox = event.sandbox
                session.thinking, session.effort = event.thinking, event.effort
                codes = terminal_signals.build_title_code(
                    event.title
                ) + terminal_signals.build_state_code("working")
                session.prompt.send_escape_codes(codes)
                session.inbox.begin_steering(session.opened.result())
            case ev.Steered(id=message_id, text=text):
                session.show_user_message(session.inbox.mark_sent(message_id) or text)
            case ev.ModeChanged(mode=mode):
                session.thread_options = {**session.thread_options, "plan": mode == "plan"}
            case ev.CardProposed(card=card):
                session.proposals[card["id"]] = card["content"]
                self._has_proposed = True
            case ev.TokenUsage():
                session.usage = event
                self._warn_nearly_full(event)
            case ev.CompactionStarted():
                self._is_compacting = True
            case ev.CompactionFinished(after=after):
                self._is_compacting = session.is_warned = False
                if session.usage:
                    session.usage = replace(session.usage, window=after)
            case ev.Question(kind=kind) if kind != "limit":
                session.prompt.send_escape_codes(terminal_signals.describe_question(event))
                session.notify(t("repl.asks"))
            case _:
                pass
        session.prompt.refresh()


def _shows_thinking(session: Session) -> bool:
    if session.show_thinking is not None:
        return session.show_thinking
    return load_settings(session.folder, session.home).settings.model.show_thinking


def _choose_open_words(question: ev.Question) -> str:
    """Return the key of what is said of an open question."""
    if question.kind != "limit":
        return "repl.open"
    return "repl.limit.provider" if question.provider else "repl.limit"
