"""The conversation at a terminal, from the first prompt to the last."""

import asyncio
import os
import signal
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from prompt_toolkit.utils import is_dumb_terminal

from ... import __version__
from ...config import paths
from ...config.exit_codes import INTERRUPTED
from ..execution.pull_request import check_pull_request, open_pull_request
from ..execution.stop_signal import StopSignal, run_stoppable
from ..execution.terminal_signals import build_state_code, build_title_code
from ..i18n.catalogs import t
from ..options import OutputFormat
from ..prompts.first_run import lead_to_first_key, welcome
from ..prompts.memory_claim import settle_memory
from ..prompts.trust import settle_trust
from ..rendering.definition_list import get_terminal_width
from ..rendering.line_breaks import fill_rows, split_rows
from ..rendering.output import echo
from ..rendering.sanitize import sanitize_line
from ..rendering.text_width import measure_width
from .input_loop import Conversation
from .prompt.agent_mentions import describe_agents
from .prompt.completer import LineCompleter
from .prompt.dumb_prompt import PlainPrompt
from .prompt.file_mentions import MentionableFiles
from .prompt.hangup import handle_hangup
from .prompt.history import FolderHistory
from .prompt.layout import PromptState
from .prompt.live_prompt import LivePrompt
from .prompt.protocol import PromptAborted, ReplExit
from .prompt.status_bar import SEPARATOR, Status, format_status, read_branch
from .session.background_startup import open_behind
from .session.session import Session

if TYPE_CHECKING:
    from ...nodes.options import Options
    from ...sdk.events import TokenUsage

# agents that the mode already names
MODES = ("build", "plan")
Found = TypeVar("Found")
# Seconds after which the value is computed again
FRESH = 5.0
# Without rich, which the first draw does not wait for
BOLD, DIM, NORMAL = "\x1b[1m", "\x1b[2m", "\x1b[0m"
# The sign before the name, and its colour
MARK, ACCENT = "◆", "\x1b[36m"
# The one name that a user meets: the command they have typed
NAME = "mcode"
# The side of the box, with its air
EDGE = "│ "


def build_prompt(conversation: Conversation, folder: Path, home: Path) -> LivePrompt:
    """Build the prompt of a conversation in this folder."""
    completer = LineCompleter(
        commands=TtlCache(lambda: _describe_commands(conversation.session)),
        agents=TtlCache(lambda: describe_agents(folder, home)),
        files=TtlCache(MentionableFiles(folder, home).list_files),
    )
    state = PromptState(
        waiting=lambda: conversation.inbox.waiting_lines,
        busy=lambda: conversation.busy_text,
        status=lambda columns: format_status(_build_status(conversation.session), columns),
        is_plan=lambda: conversation.session.plan,
        is_new=lambda: not conversation.session.thread,
        todos=lambda columns: conversation.session.format_todos(columns),
    )
    return LivePrompt(
        conversation, conversation.pastes, state, completer, FolderHistory(home, folder)
    )


def _describe_commands(session: Session) -> Mapping[str, str]:
    from .slash.registry import describe_commands  # imports every command

    return describe_commands(session)


def _compute_context_share(usage: "TokenUsage | None") -> float | None:
    """Return the share of the context that the last request took; None if unknown."""
    is_known = usage and usage.window and usage.context_length
    return usage.window / usage.context_length if usage and is_known else None


def _build_status(session: Session) -> Status:
    usage, branch = session.usage, read_branch(session.folder)
    return Status(
        custom=session.read_status_line(branch),
        model=session.model,
        agent="" if session.agent in MODES else session.agent,
        plan=session.plan,
        mode=session.mode,
        thinking=session.thinking,
        effort=session.effort,
        sandbox=session.sandbox,
        used=_compute_context_share(usage),
        cost=usage.cost if usage else None,
        proposals=len(session.proposals),
        branch=branch,
        jobs=session.count_jobs(),
    )


class TtlCache(Generic[Found]):
    """Caches a function's result for a short time."""

    def __init__(self, look: Callable[[], Found]) -> None:
        self._look = look
        self._found: tuple[float, Found] | None = None

    def __call__(self) -> Found:
        """Return the last result, or a new one."""
        if self._found is None or time.monotonic() - self._found[0] > FRESH:
            result = self._look()
            self._found = (time.monotonic(), result)
        return self._found[1]


def run_repl(
    *,
    folder: Path,
    options: "Options | None" = None,
    thread: str = "",
    name: str = "",
    trust: bool = False,
    titles: bool = True,
    show_thinking: bool | None = None,
    pull_request: str = "",
) -> int:
    """Run a conversation until the user leaves; return the exit code.

    `thread` is the id of the one to continue; empty: the first message creates one, and `name` is
    its name; with `titles` the model gives it a title; without `show_thinking` the configuration
    decides. At the end a `pull_request` is opened, `ask` or `yes`; empty: none. Raises
    MaxAgentError, for example for an invalid configuration.
    """
    welcome(paths.locate_home())
    conversation = Conversation()
    conversation.knows_trust = settle_trust(
        folder, yes=trust, output=OutputFormat.text, tests=False
    )
    settle_memory(folder)
    if pull_request:
        check_pull_request(folder)
    lead_to_first_key(folder, options or {})
    code = run_stoppable(
        lambda stop: _run_conversation(
            conversation, folder, options or {}, thread, name, titles, show_thinking, stop
        )
    )
    if pull_request and conversation.session.thread:
        return open_pull_request(conversation.session.thread, pull_request)
    return code


async def _run_conversation(
    conversation: Conversation,
    folder: Path,
    options: "Options",
    thread: str,
    name: str,
    titles: bool,
    show_thinking: bool | None,
    stop: StopSignal,
) -> int:
    home = paths.locate_home()
    opened = asyncio.get_running_loop().create_future()
    prompt = PlainPrompt() if is_dumb_terminal() else build_prompt(conversation, folder, home)
    conversation.session = Session(
        folder,
        options,
        name,
        thread,
        home=home,
        prompt=prompt,
        opened=opened,
        inbox=conversation.inbox,
        model=options.get("model", ""),
        titles=titles,
        show_thinking=show_thinking,
        knows_trust=conversation.knows_trust,
    )
    card = build_card(folder, options, is_plain=isinstance(prompt, PlainPrompt))
    prompt.print_above("\n".join(card) + "\n")
    async with AsyncExitStack() as closing:
        if isinstance(prompt, PlainPrompt):
            closing.enter_context(handle_hangup(conversation.exit_at_once, stop.receive))
            return await _run_plain_prompt(conversation, prompt, closing)
        closing.enter_context(handle_hangup(conversation.request_exit, stop.receive))
        return await _run_live_prompt(conversation, prompt, closing)


def build_card(folder: Path, options: "Options", *, is_plain: bool = False) -> list[str]:
    """Return the first rows: a box with name, model if it was chosen, folder and branch; keys.

    Facts that do not fit one row take several; keys that do not fit are left out.
    """
    place, user_home = str(folder.resolve()), str(Path.home())
    if place.startswith(f"{user_home}/"):
        place = f"~{place.removeprefix(user_home)}"
    branch = read_branch(folder)
    places = f"{place} ({branch})" if branch else place
    facts = [sanitize_line(fact) for fact in (options.get("model", ""), places) if fact]
    width = get_terminal_width()
    if is_plain:
        keys, *_ = fill_rows(t("repl.greeting").split(SEPARATOR), SEPARATOR, width)
        return [SEPARATOR.join([f"{NAME} {__version__}", *facts]), keys]
    edge = " " * len(EDGE)
    keys, *_ = fill_rows(t("repl.greeting").split(SEPARATOR), SEPARATOR, width - len(edge))
    return ["", *_build_box(facts, width), f"{DIM}{edge}{keys}{NORMAL}"]


def _build_box(facts: Sequence[str], width: int) -> list[str]:
    """Return the name and the facts in a box that is as wide as they are."""
    edge = " " * len(EDGE)
    room = max(width - 3 * len(EDGE), 1)
    name = f"{MARK} {NAME} {__version__}"
    rows = [row for fact in facts for row in split_rows(fact, room)]
    inner = max(map(measure_width, [name, *(f"{edge}{row}" for row in rows)]))
    accent = "" if os.environ.get("NO_COLOR") else ACCENT
    head = f"{accent}{MARK}{NORMAL}{BOLD}{name.removeprefix(MARK)}{NORMAL}"
    lines = [(head, measure_width(name))]
    lines += [(f"{DIM}{edge}{row}{NORMAL}", len(edge) + measure_width(row)) for row in rows]
    body = [f"{DIM}│{NORMAL} {text}{' ' * (inner - cells)} {DIM}│{NORMAL}" for text, cells in lines]
    rule = "─" * (inner + 2)
    return [f"{DIM}╭{rule}╮{NORMAL}", *body, f"{DIM}╰{rule}╯{NORMAL}"]


async def _run_live_prompt(
    conversation: Conversation, prompt: LivePrompt, closing: AsyncExitStack
) -> int:
    """Run with a prompt that stays visible during turns."""
    usable = asyncio.Event()
    opening = asyncio.ensure_future(_open_runner(conversation, closing, usable))
    showing = asyncio.ensure_future(prompt.run(usable.set))
    showing.add_done_callback(lambda _: conversation.request_exit())
    prompt.send_escape_codes(
        build_title_code(f"mcode · {conversation.session.folder.resolve().name}")
    )
    try:
        await _run_interruptibly(
            conversation, conversation.run()
        )  # Ctrl-C is a key, except while an editor is open
    finally:
        prompt.send_escape_codes(build_state_code("clear"))
        prompt.close()
        opening.cancel()
        await asyncio.wait((showing, opening))  # then the terminal has its former state
    with suppress(asyncio.CancelledError):
        await opening
    try:
        await showing
    except EOFError:  # the terminal is gone
        return INTERRUPTED
    _show_goodbye(conversation.session)
    return 0


async def _run_plain_prompt(
    conversation: Conversation, prompt: PlainPrompt, closing: AsyncExitStack
) -> int:
    """Run with a prompt between the turns; Ctrl-C stops a turn."""
    usable = asyncio.Event()
    usable.set()
    opening = asyncio.ensure_future(_open_runner(conversation, closing, usable))
    with suppress(PromptAborted, ReplExit):
        await _run_interruptibly(conversation, conversation.resume_thread())
        while not conversation.is_closed:
            await _run_interruptibly(conversation, conversation.run_line(prompt.read_line()))
    opening.cancel()
    with suppress(asyncio.CancelledError):
        await opening
    _show_goodbye(conversation.session)
    return 0


async def _run_interruptibly(conversation: Conversation, work: Coroutine[Any, Any, None]) -> None:
    """Let SIGINT stop the work in progress, not the conversation."""
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGINT, conversation.receive_interrupt)
    try:
        await work
    finally:
        loop.remove_signal_handler(signal.SIGINT)


async def _open_runner(
    conversation: Conversation, closing: AsyncExitStack, usable: asyncio.Event
) -> None:
    """Open the runner once the prompt is usable; its failure ends the conversation."""
    await usable.wait()
    try:
        await open_behind(conversation.session, closing)
    except Exception:
        conversation.request_exit()
        raise


def _show_goodbye(session: Session) -> None:
    if runner := session.find_runner():
        from ..execution.background_end import collect_running, show_stopped

        show_stopped(collect_running(runner))
    if session.thread:
        echo(t("repl.goodbye", thread=session.thread[:8]), err=True)
