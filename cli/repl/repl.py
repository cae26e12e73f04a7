"""The conversation at a terminal, from the first prompt to the last."""

import asyncio
import signal
from collections.abc import Coroutine
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prompt_toolkit.utils import is_dumb_terminal

from ... import __version__
from ...config import paths
from ..enums import OutputFormat
from ..execution.stop_signal import StopSignal, run_stoppable
from ..i18n.catalogs import t
from ..prompts.trust import settle_trust
from ..rendering.definition_list import room
from ..rendering.line_breaks import rows
from ..rendering.output import echo
from .input_loop import Conversation
from .prompt.dumb_prompt import PlainPrompt
from .prompt.factory import session_prompt
from .prompt.hangup import told_when_gone
from .prompt.live_prompt import LivePrompt
from .prompt.protocol import LeaveRepl, Unanswered
from .prompt.terminal_signals import titled
from .session.background_startup import open_behind
from .session.session import Session

if TYPE_CHECKING:
    from ...nodes.state import Options

INTERRUPTED = 130


def run_repl(
    *,
    folder: Path,
    options: "Options | None" = None,
    thread: str = "",
    name: str = "",
    trust: bool = False,
    titles: bool = True,
) -> int:
    """Speak with the human until they leave; the exit code.

    `thread` is the id of the one to go on with; empty: the first message begins one, and `name`
    is its name; with `titles` the model makes it a title. Raises MaxAgentError, as for a wrong
    configuration.
    """
    settle_trust(folder, yes=trust, output=OutputFormat.text, tests=False)
    return run_stoppable(lambda stop: _run(folder, options or {}, thread, name, titles, stop))


async def _run(
    folder: Path, options: "Options", thread: str, name: str, titles: bool, stop: StopSignal
) -> int:
    talk, home = Conversation(), paths.home()
    opened = asyncio.get_running_loop().create_future()
    prompt = PlainPrompt() if is_dumb_terminal() else session_prompt(talk, folder, home)
    talk.session = Session(
        folder,
        options,
        name,
        thread,
        home=home,
        prompt=prompt,
        opened=opened,
        model=options.get("model", ""),
        titles=titles,
    )
    greeting = rows(t("repl.greeting", version=__version__), room())
    prompt.above("\n".join(greeting) + "\n")
    async with AsyncExitStack() as closing:
        if isinstance(prompt, PlainPrompt):
            closing.enter_context(told_when_gone(talk.leave_at_once, stop.receive))
            return await _line_by_line(talk, prompt, closing)
        closing.enter_context(told_when_gone(talk.leave, stop.receive))
        return await _at_the_bottom(talk, prompt, closing)


async def _at_the_bottom(talk: Conversation, prompt: LivePrompt, closing: AsyncExitStack) -> int:
    """With a prompt that stays there while turns go on."""
    usable = asyncio.Event()
    opening = asyncio.ensure_future(_open(talk, closing, usable))
    showing = asyncio.ensure_future(prompt.run(usable.set))
    showing.add_done_callback(lambda _: talk.leave())
    prompt.signal(titled(f"mcode · {talk.session.folder.resolve().name}"))
    try:
        await _stoppable(talk, talk.run())  # Ctrl-C is a key, but while an editor is open
    finally:
        prompt.close()
        opening.cancel()
        await asyncio.wait((showing, opening))  # then the terminal is as it was
    with suppress(asyncio.CancelledError):
        await opening
    try:
        await showing
    except EOFError:  # nobody is at the other end any more
        return INTERRUPTED
    _say_goodbye(talk.session)
    return 0


async def _line_by_line(talk: Conversation, prompt: PlainPrompt, closing: AsyncExitStack) -> int:
    """With a prompt between the turns; Ctrl-C stops a turn."""
    usable = asyncio.Event()
    usable.set()
    opening = asyncio.ensure_future(_open(talk, closing, usable))
    with suppress(Unanswered, LeaveRepl):
        await _stoppable(talk, talk.come_back())
        while not talk.has_left:
            await _stoppable(talk, talk.perform(prompt.read()))
    opening.cancel()
    with suppress(asyncio.CancelledError):
        await opening
    _say_goodbye(talk.session)
    return 0


async def _stoppable(talk: Conversation, work: Coroutine[Any, Any, None]) -> None:
    """Meanwhile SIGINT stops what goes on, and not the conversation."""
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGINT, talk.interrupt)
    try:
        await work
    finally:
        loop.remove_signal_handler(signal.SIGINT)


async def _open(talk: Conversation, closing: AsyncExitStack, usable: asyncio.Event) -> None:
    """Open the runner once the prompt can be typed at; without it nobody can speak."""
    await usable.wait()
    try:
        await open_behind(talk.session, closing)
    except Exception:
        talk.leave()
        raise


def _say_goodbye(session: Session) -> None:
    if session.thread:
        echo(t("repl.goodbye", thread=session.thread[:8]), err=True)
