"""`mcode test` with all its commands; each is also an option, and `run` is the usual one."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer
from typer.core import TyperGroup

from ....config.exit_codes import FAILED
from ...i18n.catalogs import t
from ...i18n.message_translation import translate
from ...lazy_imports import without_collector
from ...options import (
    BaseUrl,
    Folder,
    MaxCost,
    MaxTurns,
    Mode,
    Output,
    OutputFormat,
    Thinking,
    Timeout,
    Verbose,
)
from ...prompts.trust import TrustFlag, settle_trust, warn_untrusted
from ...rendering.listings.threads import open_index
from ...rendering.output import echo, echo_json
from ...rendering.table import show_table
from ..threads.listing import AsJson
from . import execution

if TYPE_CHECKING:
    from ....tools.testing.command import TestCommand


File = Annotated[
    str, typer.Argument(metavar="FILE", help="File to test, relative to the project folder.")
]
Message = Annotated[str, typer.Option("--message", "-m", help="What the tests should cover.")]
# without `-m`, which is the message here
Model = Annotated[str, typer.Option("--model", help="PROVIDER/MODEL, such as openai/gpt-4o.")]
ApprovalMode = Annotated[
    Mode | None, typer.Option(help="Approval mode; default: edits.", show_default=False)
]
Apply = Annotated[bool, typer.Option("--apply", "-a", help="Keep the result without asking.")]


def generate(
    file: File,
    message: Message = "",
    folder: Folder = Path("."),
    model: Model = "",
    base_url: BaseUrl = "",
    mode: ApprovalMode = None,
    apply: Apply = False,
    thinking: Thinking = None,
    max_turns: MaxTurns = None,
    max_cost: MaxCost = None,
    timeout: Timeout = None,
    trust: TrustFlag = False,
    verbose: Verbose = False,
    output: Output = OutputFormat.text,
) -> None:
    """Write tests for a file, and verify them; nothing but test files is changed.

    The result is verified only if tests were added or changed and all tests pass. Exit codes:
    0 ended, 1 failed, 2 wrong input or no test framework, 3 limit reached, 4 waiting for an answer,
    130 interrupted.
    """
    from .project import require_tests

    require_tests(folder)
    settle_trust(folder, yes=trust, output=output, tests=True)
    chosen: dict[str, object] = {"model": model, "base_url": base_url, "apply": apply}
    chosen |= {"max_turns": max_turns, "max_cost": max_cost}
    chosen |= {"mode": mode and mode.value, "thinking": thinking and thinking.value}
    with without_collector():
        from ....nodes.options import Options
        from ...execution.run import run_in_terminal

    open_index()  # reports a damaged index
    options = cast(Options, {name: value for name, value in chosen.items() if value})
    raise typer.Exit(
        run_in_terminal(
            lambda runner: runner.generate_tests(file, message, folder=folder, options=options),
            output,
            seconds=timeout or 0.0,
        )
    )


def detect(folder: Folder = Path("."), as_json: AsJson = False) -> None:
    """List the project's test commands and how each was found. Runs nothing.

    `task.test_command` comes first, and replaces the others. Exit code 1: none found.
    """
    from ....tools.testing.detection import NONE_FOUND, SIGNS
    from .project import open_project

    warn_untrusted(folder)
    commands = open_project(folder).detect()
    if as_json:
        echo_json([_describe_command(command) for command in commands])
    elif commands:
        headers = tuple(t(f"test.{name}") for name in ("framework", "language", "found", "command"))
        rows = [_build_row(command) for command in commands]
        show_table(headers, rows, cut=headers[2:])
        for command in commands:
            if command.problem:
                echo(f"{command.framework}: {translate(command.problem)}", err=True)
    if not commands:
        echo(t("test.none", what=translate(NONE_FOUND), signs=translate(SIGNS)), err=True)
        raise typer.Exit(FAILED)


def _build_row(command: "TestCommand") -> tuple[str, ...]:
    from ....tools.testing.detection import format_command

    return (
        command.framework,
        command.language or "-",
        command.found_by,
        format_command(command),
    )


def _describe_command(command: "TestCommand") -> dict[str, str]:
    from ....tools.testing.detection import format_command

    return {
        "framework": command.framework,
        "language": command.language,
        "found_by": command.found_by,
        "command": format_command(command),
        "folder": command.folder,
        "problem": translate(command.problem),
    }


_OPTIONS = {"--detect": "detect", "--run": "run", "--generate": "generate"}
_HELP = ("-h", "--help")


class _TestGroup(TyperGroup):
    """Command group whose commands may be named by options; without one it is `run`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments, the command first."""
        return super().parse_args(ctx, put_command_first(args))


def put_command_first(args: list[str]) -> list[str]:
    """Return the arguments with the command that an option names, or `run`, in the first place."""
    if args[:1] and (args[0] in _HELP or not args[0].startswith("-")):
        return args
    end = args.index("--") if "--" in args else len(args)
    own, others = args[:end], args[end:]
    for option, command in _OPTIONS.items():
        if option in own:
            own.remove(option)
            return [command, *own, *others]
    return ["run", *own, *others]


app = typer.Typer(
    cls=_TestGroup,
    help="Find and run the project's own tests.\n\nWithout a command it runs them. "
    "Exit codes: 0 all passed, 1 some failed, 2 none found or not installed.",
    rich_markup_mode=None,
)


@app.callback(invoke_without_command=True)
def handle_options(
    detect: Annotated[bool, typer.Option("--detect", help="Same as the command `detect`.")] = False,
    run: Annotated[bool, typer.Option("--run", help="Same as the command `run`.")] = False,
    generate: Annotated[
        bool, typer.Option("--generate", help="Same as the command `generate FILE`.")
    ] = False,
) -> None:
    """Find and run the project's own tests."""


app.command()(detect)
app.command()(execution.run)
app.command()(generate)
