"""State shared by the loop and its commands: the thread, the user's choices, the output."""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from prompt_toolkit.utils import is_dumb_terminal

from ....config.crash_report import describe_error
from ...execution.chat_session import ChatSession
from ...execution.terminal_signals import build_notification_code
from ...i18n.catalogs import t
from ...i18n.message_translation import translate
from ...rendering.listings.threads import SHORT_ID
from ...rendering.text_width import measure_width, shorten_text
from ...terminal_options import wants_notifications
from ..prompt.protocol import Prompt, PromptAborted
from .inbox import Inbox

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ....config.settings.schema import ApprovalMode
    from ....nodes.options import Options
    from ....sdk.events import TokenUsage
    from ....sdk.runner import Runner
    from ...rendering.blocks.folds import Fold
    from ...rendering.subagents.running_children import RunningChildren
    from .provider_wait import ProviderWait
    from .status_line import StatusLine

Answer = TypeVar("Answer")


@dataclass(kw_only=True)
class Session(ChatSession):
    """One conversation at one terminal."""

    home: Path
    prompt: Prompt
    opened: "asyncio.Future[Runner]"
    """Done when LangGraph is imported and the runner is open, behind the prompt."""
    inbox: Inbox = field(default_factory=Inbox)
    """Lines that wait."""
    unread_lines: list[str] = field(default_factory=list[str])
    """Lines that a stopped turn had read and the thread does not have."""
    model: str = ""
    """Current model, as `PROVIDER/MODEL`."""
    mode: str = ""
    """Approval mode in force."""
    further_mode: str = ""
    """Approval mode besides `ask` and `edits` that was in force; Shift-Tab comes back to it."""
    thinking: str = ""
    """When the model thinks: `auto`, `enabled` or `disabled`."""
    effort: str = ""
    """How much it thinks; `auto`: the provider's default."""
    show_thinking: bool | None = None
    """None: as the configuration says."""
    folds: "list[Fold]" = field(default_factory=list["Fold"])
    """What the last turn has folded and was not opened yet: thoughts, outputs, diffs."""
    children: "RunningChildren | None" = None
    """The sub-agents that work now, once a turn has run."""
    todos: "Sequence[Mapping[str, Any]]" = ()
    """The list of tasks as the running or the last turn left it."""
    has_open_todos: bool = False
    """Whether all of it stands above the prompt."""
    wait: "ProviderWait | None" = None
    """The wait for the provider, while there is one."""
    sandbox: str = ""
    """Description of what confines commands."""
    status_line: "StatusLine | None" = None
    """The user's own status line, if one is configured."""
    usage: "TokenUsage | None" = None
    """Totals of the thread after the last request."""
    context_limit: int = 0
    """Tokens from which on the conversation is compacted; 0: not known, or it never is."""
    is_warned: bool = False
    """Whether the user knows that the model's window is nearly full."""
    left_by_hand: bool = False
    """The user saw the turn end early: the next message need not ask whether to abandon it."""
    waiting_thread: str = ""
    """The conversation that Enter opens on an empty line: it waits for an answer."""
    typed: str = ""
    """The line that runs, as it was typed."""
    is_below_command: bool = False
    """Whether a command was echoed and has shown nothing: a row of air follows."""
    is_unsent: bool = False
    """No part of the line has run yet; if it is a message, the thread does not have it."""
    cut_short: bool = False
    """A turn did not finish: no waiting line is sent after it."""
    last_error_message: str = ""
    """The last error shown, until the next line runs."""
    standing_words: dict[str, object] = field(default_factory=dict[str, object])
    """Last status texts shown, by their beginning: only a change is shown again."""
    knows_trust: bool = False
    """Whether the user has just decided whether to trust the folder."""
    is_paging: bool = False
    """Whether the user reads in the pager, which has the terminal and its Ctrl-C."""
    titles: bool = False
    """Whether the model may name the thread."""
    titled_thread_id: str = ""
    """Id of the thread for which the model was last asked for a title."""
    proposals: dict[str, str] = field(default_factory=dict[str, str])
    """Cards that the model has proposed in this conversation, by ID, until the user decides."""
    question_seconds: float = 0.0
    """Seconds in which questions have waited for the user."""
    title_task: "asyncio.Future[None] | None" = None
    """The task that is making a title."""

    def format_todos(self, columns: int) -> str:
        """Return how far the list of tasks is, with the list while it is open.

        Empty if nothing of it is left and it is not open.
        """
        from ...rendering.blocks.todos import count_done, format_open_list, format_row

        if count_done(self.todos) == len(self.todos) and not self.has_open_todos:
            return ""
        room = columns - measure_width(t("repl.todos", row="")) - 1
        row = t("repl.todos", row=shorten_text(format_row(self.todos), room))
        items = format_open_list(self.todos, columns) if self.has_open_todos else []
        return "\n".join([row, *items])

    def read_status_line(self, branch: str) -> str:
        """Return what the user's own command says about this state; empty: the usual line."""
        if not (self.status_line and self.status_line.command):
            return ""
        from .status_line import build_fields

        return self.status_line.read_line(build_fields(self, branch))

    def toggle_todos(self) -> None:
        """Open the list of tasks above the prompt, or close it."""
        self.has_open_todos = bool(self.todos) and not self.has_open_todos
        if not self.todos:
            self.show(t("slash.todos.none"), "dim")
        self.prompt.refresh()

    @property
    def next_options(self) -> "Options":
        """Options that the next message will have."""
        return {**self.thread_options, **self.options}

    @property
    def plan(self) -> bool:
        """Whether the next message is for plan mode."""
        return bool(self.next_options.get("plan"))

    @plan.setter
    def plan(self, is_on: bool) -> None:
        self.options = {**self.options, "plan": is_on}
        if self.agent == "plan" and not is_on:
            self.agent = "build"
        self.prompt.refresh()

    def choose_next_mode(self) -> None:
        """Go on from plan to ask, to edits, to the mode that was set before, and to plan again.

        An approval mode holds at once, also for the running turn; plan from the next message on.
        """
        modes = ["plan", "ask", "edits"]
        if self.mode not in ("", *modes):
            self.further_mode = self.mode
        modes += [self.further_mode] if self.further_mode else []
        current = "plan" if self.plan else self.mode
        position = modes.index(current) if current in modes else -1
        chosen = modes[(position + 1) % len(modes)]
        self.plan = chosen == "plan"
        if chosen != "plan":
            self.set_mode(cast("ApprovalMode", chosen))

    def set_mode(self, mode: "ApprovalMode") -> None:
        """Set the approval mode, also for the running turn."""
        self.mode = mode
        self.options = {**self.options, "mode": mode}
        if runner := self.find_runner():
            runner.steering.choose_mode(self.thread, mode)
        self.prompt.refresh()

    @property
    def agent(self) -> str:
        """Agent of this thread; empty: that of the mode."""
        return self.next_options.get("agent", "")

    @agent.setter
    def agent(self, name: str) -> None:
        self.options = {**self.options, "agent": name}
        self.prompt.refresh()

    async def wait_for_runner(self) -> "Runner":
        """Return the runner as soon as it is open; raise the error that kept it from opening."""
        return await asyncio.shield(self.opened)

    def find_runner(self) -> "Runner | None":
        """Return the runner if it is open."""
        is_open = self.opened.done() and not self.opened.cancelled() and not self.opened.exception()
        return self.opened.result() if is_open else None

    def count_jobs(self) -> int:
        """Count the commands that run in the background, of all threads."""
        runner = self.find_runner()
        return len(runner.background.list_running()) if runner else 0

    def start_new_thread(self) -> None:
        """Let the next message create a thread with the same options; this one stays listed."""
        self.options, self.thread_options = self.next_options, {}
        self.options.pop("plan_file", None)  # a plan belongs to one thread
        self.thread, self.name, self.usage, self.left_by_hand = "", "", None, False
        self.is_warned, self.todos, self.has_open_todos = False, (), False
        self.side_context.clear()
        self.prompt.refresh()

    def _mark_started(self, thread: str, sent: "Options") -> None:
        super()._mark_started(thread, sent)
        self.is_unsent = False

    def show_user_message(self, words: str) -> None:
        """Show the user's message, apart from all other lines."""
        from ...rendering.blocks.user_message import render_user_message

        self.prompt.print_above(render_user_message(words))

    def show(self, content: "str | RenderableType", style: str = "") -> None:
        """Show lines above the prompt; a `str` is foreign text, sanitized and in this style."""
        from ...rendering.console import (
            render_lines,
        )  # imports rich, which the first prompt does without

        if self.is_below_command and not is_dumb_terminal():
            self.prompt.print_above("\n")
        self.is_below_command = False
        self.prompt.print_above(render_lines(content, style))

    @property
    def has_fold(self) -> bool:
        """Whether Ctrl-O has something to open."""
        return bool(self.folds or self.children)

    def notify(self, words: str) -> None:
        """Ring, and show a notification if the terminal can, unless that is switched off."""
        if wants_notifications():
            self.prompt.send_escape_codes(build_notification_code(words))

    def open_fold(self, *, kind: str = "") -> None:
        """Show what was folded last, of one kind if given; the next time, what was before it.

        While sub-agents work, show what each is doing.
        """
        if self.children:
            for line in self.children.format_details():
                self.show(line, "dim")
            return
        fitting = [fold for fold in self.folds if kind in ("", fold.kind)]
        if not fitting:
            self.show(t("thinking.none" if kind else "fold.none"), "dim")
            return
        from rich.text import Text

        from ...rendering.console import open_console

        self.folds.remove(fitting[-1])
        text = fitting[-1].render(open_console(stderr=False).width)
        self.show(Text.assemble("\n", text))

    async def ask_question(self, question: Callable[[], Answer]) -> Answer:
        """Run a function that asks at the terminal, such as `prompts.choice.confirm`.

        Returns its result. Raises PromptAborted; a command need not catch it, then nothing happens.
        """
        start = time.monotonic()
        try:
            return await self.prompt.ask_question(question)
        finally:
            self.question_seconds += time.monotonic() - start


def show_error(session: Session, error: BaseException) -> None:
    """Show an error in two lines, and once; a question that was left open is not an error."""
    if isinstance(error, PromptAborted):
        session.show(str(error) or t("repl.unanswered"), "dim")
        return
    if not isinstance(error, Exception):
        raise error
    description = describe_error(error, session.home)
    if (
        description.message == session.last_error_message
    ):  # such as a missing key, which fails the startup and the message alike
        return
    session.last_error_message = description.message
    from rich.text import Text

    from ...rendering.console import format_error, open_console

    hint = _adapt_hint(session, translate(description.hint)) if description.hint else ""
    console = open_console(stderr=False)
    rows = format_error(console, translate(description.message), hint)
    session.show(Text("\n").join(rows))


def _adapt_hint(session: Session, hint: str) -> str:
    """Replace a shell command in the hint with the conversation's own command for the thread."""
    thread = session.thread[:SHORT_ID]
    return hint.replace(f"mcode resume {thread}", f"/resume {thread}") if thread else hint
