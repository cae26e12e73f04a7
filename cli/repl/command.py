"""`mcode chat`: one message and its answer, or a conversation at the terminal."""

import sys
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import typer

from ...config.errors import UsageError
from ...config.text import text
from ..execution.stdin import read_piped_text, take_terminal
from ..fork_server.caller import hand_back
from ..lazy_imports import without_collector
from ..options import (
    AnswerStyle,
    Approval,
    BaseUrl,
    Folder,
    InputFormat,
    MaxCost,
    MaxTurns,
    Model,
    Output,
    OutputFormat,
    PullRequest,
    PullRequestCommand,
    Thinking,
    Timeout,
    Verbose,
)
from ..prompts.memory_claim import settle_memory
from ..prompts.trust import TrustFlag, settle_trust
from ..stdin_block import wrap_stdin
from . import command_options as given
from .command_options import add_plan, read_schema, select_place

if TYPE_CHECKING:
    from ...nodes.options import Options


class ChatCommand(PullRequestCommand):
    """Command whose `--resume` may have no value."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments; a `--resume` without a value gets the empty name."""
        following = [*args, "-"][1:]
        filled_args = [
            "--resume=" if arg == "--resume" and after.startswith("-") else arg
            for arg, after in zip(args, following, strict=True)
        ]
        return super().parse_args(ctx, filled_args)


class _AnswerOptions(NamedTuple):
    """How one message is answered: the fields of `ChatRun` after the place."""

    name: str
    output: OutputFormat
    answer: AnswerStyle
    seconds: float
    keeps: bool
    show_thinking: bool | None


# Folder, options and ID of the thread
_Place = tuple[Path, Mapping[str, object], str]

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command(cls=ChatCommand)
def chat(
    message: given.Message = "",
    latest: given.Continue = False,
    resume: given.Resume = None,
    fork: given.Fork = False,
    name: given.Name = "",
    prints: given.Print = False,
    no_history: given.NoHistory = False,
    model: Model = "",
    base_url: BaseUrl = "",
    mode: Approval = None,
    plan: given.Plan = False,
    from_plan: given.FromPlan = "",
    agent: given.Agent = "",
    thinking: Thinking = None,
    show_thinking: given.ShowThinking = None,
    max_turns: MaxTurns = None,
    max_cost: MaxCost = None,
    timeout: Timeout = None,
    folder: Folder = Path("."),
    trust: TrustFlag = False,
    no_title: given.NoTitle = False,
    stream: given.Stream = True,
    output: Output = OutputFormat.text,
    verbose: Verbose = False,
    read: given.Input = InputFormat.text,
    json_schema: given.JsonSchema = None,
    pr: PullRequest = None,
) -> None:
    """Start a conversation, or answer one message.

    Input from a pipe is added to the message, or is the message. Exit codes: 0 answered, 1 failed,
    2 wrong input, 3 limit reached, 4 waiting for an answer, 130 interrupted.
    """
    old = latest or resume is not None
    _validate_options(message, read, output, pr, deletes_old=no_history and old and not fork)
    _validate_from_plan(from_plan, read, is_other=old or plan)
    words, part = _read_message(message, read, folder, from_plan)
    if opens := words is not None and not words.strip():
        _take_terminal(output, prints, no_history, bool(timeout))
    own = {"model": model, "base_url": base_url, "agent": agent, "mode": mode, "thinking": thinking}
    own |= dict(max_turns=max_turns, max_cost=max_cost, schema=json_schema, plan=plan, pr=pr)
    options = part | {key: _to_plain(value) for key, value in own.items() if value}
    place = select_place(folder, options, latest=latest, named=resume, fork=fork, name=name)
    if opens:
        raise typer.Exit(_open_repl(place, name, trust, not no_title, show_thinking))
    settle_trust(place[0], yes=trust, output=output, tests=False)
    style, seconds = _choose_style(stream, json_schema), timeout or 0.0
    how = _AnswerOptions(name, output, style, seconds, not no_history, show_thinking)
    raise typer.Exit(_answer_message(words, place, how))


def _answer_message(words: str | None, place: _Place, how: _AnswerOptions) -> int:
    settle_memory(place[0], output=how.output)
    with without_collector():
        from ..execution.print_mode import ChatRun, run_chat
    return run_chat(ChatRun(*place, *how), words)


def _choose_style(stream: bool, json_schema: Path | None) -> AnswerStyle:
    if json_schema:
        return AnswerStyle.plain
    return AnswerStyle.streamed if stream else AnswerStyle.whole


def _to_plain(value: object) -> object:
    if isinstance(value, Path):
        return read_schema(value)
    return value.value if isinstance(value, StrEnum) else value


def _read_message(
    message: str, read: InputFormat, folder: Path, from_plan: str
) -> tuple[str | None, dict[str, object]]:
    """Return the message, None if lines of stdin hold it; and the options that go with it."""
    if read is InputFormat.stream_json:
        return None, {}
    words, part = _join_piped_input(message)
    return add_plan(folder, from_plan, words, part) if from_plan else (words, part)


def _join_piped_input(message: str) -> tuple[str, dict[str, object]]:
    """Return the message with what was piped to it, and the options that go with it.

    Piped input alone is the message; it cannot mention files, as the user did not type it.
    """
    piped = read_piped_text()
    if not piped.strip():
        return message, {}
    take_terminal()
    if not message.strip():
        return piped, {"mentioning": ""}
    return message, {"aside": [wrap_stdin(piped)]}


def _validate_options(
    message: str,
    read: InputFormat,
    output: OutputFormat,
    pr: PullRequest,
    *,
    deletes_old: bool,
) -> None:
    if read is InputFormat.stream_json and pr:
        raise UsageError(
            "`--pr` cannot be used with `--input stream-json`", hint="leave one of them out"
        )
    if read is InputFormat.stream_json and message:
        raise UsageError(
            "with `--input stream-json`, messages come from stdin", hint="leave the message out"
        )
    if read is InputFormat.stream_json and output in (OutputFormat.text, OutputFormat.json):
        raise UsageError("there is no output for the answers", hint="add `--output stream-json`")
    if deletes_old:
        raise UsageError(
            "`--no-history` cannot be used with an existing conversation",
            hint="add `--fork`; then only the copy is deleted",
        )


def _validate_from_plan(from_plan: str, read: InputFormat, *, is_other: bool) -> None:
    if from_plan and (is_other or read is InputFormat.stream_json):
        raise UsageError(
            "`--from-plan` starts a new conversation in build mode, with one message",
            hint="leave out `--continue`, `--resume`, `--plan` and `--input`",
        )


def _take_terminal(output: OutputFormat, prints: bool, no_history: bool, has_limit: bool) -> None:
    """Raise UsageError without a terminal, or for an option that needs one message.

    Editors, pagers and Ctrl-Z need the shell's own terminal, so a fork ends here.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()) or output is not OutputFormat.text:
        raise UsageError("no message given", hint="give a message, or pipe one in")
    for_one_message = {"--print": prints, "--no-history": no_history, "--timeout": has_limit}
    for flag, is_set in for_one_message.items():
        if is_set:
            raise UsageError(
                text("`{flag}` works only with one message", flag=flag), hint="give the message"
            )
    hand_back()


def _open_repl(
    place: _Place,
    name: str,
    trust: bool,
    titles: bool,
    show_thinking: bool | None,
) -> int:
    from .repl import run_repl

    folder, options, thread = place
    pr = str(options.get("pr", ""))
    return run_repl(
        folder=folder,
        options=cast("Options", {key: value for key, value in options.items() if key != "pr"}),
        thread=thread,
        name=name,
        trust=trust,
        titles=titles,
        show_thinking=show_thinking,
        pull_request=pr,
    )
