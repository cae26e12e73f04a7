"""What the loop and its commands share: the thread, what the human chose, the way to the screen."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from ....config.crash_report import describe_error
from ...execution.chat_session import ChatSession
from ...i18n.catalogs import t
from ...i18n.message_translation import translate
from ...rendering.thread_listing import SHORT_ID
from ..prompt.protocol import SIGN, Prompt, PromptAborted

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ....nodes.options import Options
    from ....sdk.events import TokenUsage
    from ....sdk.runner import Runner

Answer = TypeVar("Answer")


@dataclass(kw_only=True)
class Session(ChatSession):
    """One conversation at one terminal."""

    home: Path
    prompt: Prompt
    opened: "asyncio.Future[Runner]"
    """Done when LangGraph is imported and the runner is open, behind the prompt."""
    model: str = ""
    """Model that speaks, as `PROVIDER/MODEL`."""
    mode: str = ""
    """Approval mode in force."""
    sandbox: str = ""
    """What confines commands, in words."""
    usage: "TokenUsage | None" = None
    """Totals of the thread after the last request."""
    left_by_hand: bool = False
    """The human has seen the turn end early: the next message need not ask what becomes of it."""
    typed: str = ""
    """The line that is being done, as it was typed."""
    is_unsent: bool = False
    """Nothing was done of the line yet; of one that is to be said: the thread does not have it."""
    cut_short: bool = False
    """A turn did not come to its end: nothing that waits is sent behind it."""
    last_error_message: str = ""
    """What was said last to have gone wrong, until the next line is done."""
    standing_words: dict[str, object] = field(default_factory=dict[str, object])
    """What was said last of how things stand, by its beginning: only a change is said again."""
    titles: bool = False
    """Whether the model may name the thread."""
    titled_thread_id: str = ""
    """Id of the thread that it was asked to name last."""
    title_task: "asyncio.Future[None] | None" = None
    """While it is at it."""

    @property
    def next_options(self) -> "Options":
        """The options that the next message will find."""
        return {**self.thread_options, **self.options}

    @property
    def plan(self) -> bool:
        """Whether the next message is for plan mode."""
        return bool(self.next_options.get("plan"))

    @plan.setter
    def plan(self, wanted: bool) -> None:
        self.options = {**self.options, "plan": wanted}
        if self.agent == "plan" and not wanted:
            self.agent = "build"
        self.prompt.refresh()

    @property
    def agent(self) -> str:
        """Profile that speaks in this thread; empty: that of the mode."""
        return self.next_options.get("agent", "")

    @agent.setter
    def agent(self, name: str) -> None:
        self.options = {**self.options, "agent": name}
        self.prompt.refresh()

    async def wait_for_runner(self) -> "Runner":
        """The runner, as soon as it is open; raises what kept it from opening."""
        return await asyncio.shield(self.opened)

    def start_new_thread(self) -> None:
        """Let the next message begin a thread, as this one goes; that stays on the list."""
        self.options, self.thread_options = self.next_options, {}
        self.options.pop("plan_file", None)  # a plan is of one thread
        self.thread, self.name, self.usage, self.left_by_hand = "", "", None, False
        self.side_context.clear()
        self.prompt.refresh()

    async def run_message(self, text: str, agent: str = "", once: "Options | None" = None) -> None:
        """Say something in the thread, or begin one, and show the turn to its end.

        `agent` and the options `once` are for this turn only.
        """
        self.is_unsent = self.cut_short = True
        await self.wait_for_runner()
        from .turn import run_turn  # brings LangGraph

        await run_turn(self, text, agent, once or {})

    def _mark_started(self, thread: str, sent: "Options") -> None:
        super()._mark_started(thread, sent)
        self.is_unsent = False

    def show_user_message(self, words: str) -> None:
        """Show what the human said, under the sign that it was typed at."""
        indented = words.strip().replace("\n", "\n" + " " * len(SIGN))
        self.show(f"\n{SIGN}{indented}", "bold")

    def show(self, what: "str | RenderableType", style: str = "") -> None:
        """Show lines above the prompt; a `str` is foreign text, made safe, and has this style."""
        from ...rendering.console import (
            render_lines,
        )  # brings rich, which the first prompt does without

        self.prompt.print_above(render_lines(what, style))

    async def ask_question(self, question: Callable[[], Answer]) -> Answer:
        """What a function answers that asks at the terminal, such as `question.choice`.

        Raises Unanswered; a command may let it pass, then nothing happens.
        """
        return await self.prompt.ask_question(question)


def show_error(session: Session, error: BaseException) -> None:
    """Say what went wrong, in two lines and once; a question that was left open is no error."""
    if isinstance(error, PromptAborted):
        session.show(str(error) or t("repl.unanswered"), "dim")
        return
    if not isinstance(error, Exception):
        raise error
    known = describe_error(error, session.home)
    if (
        known.message == session.last_error_message
    ):  # such as a missing key, for opening and message alike
        return
    session.last_error_message = known.message
    session.show(t("error.says", message=translate(known.message)), "bold red")
    if known.hint:
        session.show(t("error.hint", hint=_adapt_hint(session, translate(known.hint))), "yellow")


def _adapt_hint(session: Session, hint: str) -> str:
    """The hint with what the conversation has for the thread in the place of a shell's command."""
    thread = session.thread[:SHORT_ID]
    return hint.replace(f"mcode resume {thread}", f"/resume {thread}") if thread else hint
