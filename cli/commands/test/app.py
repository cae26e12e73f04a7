"""`mcode test` with all its commands; each is also an option, and `run` is the usual one."""

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from . import detection, execution, generation

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


app.command()(detection.detect)
app.command()(execution.run)
app.command()(generation.generate)
