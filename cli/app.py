"""The `mcode` command and its subcommands; each imports what it needs only when it runs.

A new command takes:

- a file in `cli/commands/`, a line in `COMMAND_GROUPS` in `cli/app.py`
- Chinese help in `help.po`
"""

import atexit
import os
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from typer.main import get_command

from .. import __version__
from ..config import exit_codes, paths
from ..config.crash_report import describe_error
from ..config.errors import UsageError
from ..config.security.executables import keep_absolute_entries
from ..config.text import text
from .default_command import DefaultCommandGroup, count_own
from .execution.stdin import read_piped_text, take_terminal
from .i18n.catalogs import t, use_language, use_program
from .i18n.language_selection import select_language
from .i18n.message_translation import translate
from .i18n.stored_messages import translate_stored
from .lazy_commands import LazyCommands
from .lazy_imports import collect_seldom, defer_packages
from .options import Language, OutputFormat, Verbose
from .rendering.help import install_help_pages
from .rendering.output import echo
from .rendering.usage_error import WRONG_USE, asks_for_help, describe_usage_error
from .terminal_options import read_terminal_options

# The module and the name of each command, under the headings and in the order of `mcode --help`
COMMAND_GROUPS = {
    "Work": {
        "chat": "repl.command:app",
        "task": "commands.task:app",
        "edit": "commands.edit:app",
        "test": "commands.test.app:app",
        "explain": "commands.explain:explain",
        "review": "commands.review:review",
        "init": "commands.init:init",
        "acp": "commands.acp:acp",
    },
    "Threads": {
        "resume": "commands.resume:resume",
        "diff": "commands.diff:diff",
        "undo": "commands.undo:undo",
        "redo": "commands.undo:redo",
        "rewind": "commands.rewind:rewind",
        "threads": "commands.threads.app:app",
        "plans": "commands.plans:app",
        "web": "web.command:web",
        "studio": "commands.studio:studio",
    },
    "Team": {
        "worker": "commands.team.worker:worker",
        "queue": "commands.team.queue:app",
        "db": "commands.team.database:app",
    },
    "Tools": {
        "tools": "commands.tools:app",
        "mcp": "commands.mcp.app:app",
        "skills": "commands.skills.app:app",
        "agents": "commands.agents:app",
        "commands": "commands.custom_commands:app",
        "memory": "commands.memory.app:app",
    },
    "Setup": {
        "auth": "commands.auth:app",
        "models": "commands.models:app",
        "config": "commands.config:app",
        "profiles": "commands.profiles.command:profiles",
        "permissions": "commands.permissions:app",
        "trust": "commands.trust:trust",
        "doctor": "commands.doctor.command:doctor",
    },
}
COMMANDS = {name: place for group in COMMAND_GROUPS.values() for name, place in group.items()}
# What `mcode` can do with the threads of a server, of these
REMOTE_COMMANDS = {
    "chat": "remote.commands:chat_app",
    "task": "remote.commands:task_app",
    "resume": "remote.commands:resume",
    "diff": "remote.threads:diff",
    "undo": "remote.threads:undo",
    "redo": "remote.threads:redo",
    "rewind": "remote.threads:rewind",
    "threads": "remote.commands:threads_app",
}
# Other names, which the help leaves out
ALIASES = {"serve": COMMANDS["web"]}


class _Group(DefaultCommandGroup):
    """The group of all commands."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = LazyCommands({**COMMANDS, **ALIASES})

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments; with `--remote` the commands are those for a server."""
        options = {
            name: not getattr(param, "is_flag", False)
            for param in self.get_params(ctx)
            for name in param.opts
        }
        flags = [name for name, takes_value in options.items() if not takes_value]
        count = count_own(args, flags, set(options) - set(flags))
        if any(arg == "--remote" or arg.startswith("--remote=") for arg in args[:count]):
            self.commands.replace(REMOTE_COMMANDS)
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command; raises UsageError for one that is not for a server."""
        if args[0] in COMMANDS and args[0] not in self.commands:
            raise UsageError(
                text("`mcode {name}` is for this machine, not for a server", name=args[0]),
                hint=text(
                    "with `--remote` there are: {names}", names=", ".join(sorted(self.commands))
                ),
            )
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands into the help page, under their headings."""
        column = max(map(len, COMMANDS))
        for heading, group in COMMAND_GROUPS.items():
            names = [name for name in group if name in self.commands]
            commands = [(name.ljust(column), self.commands[name]) for name in names]
            if not commands:
                continue
            with formatter.section(heading):
                formatter.write_dl(
                    [(name, command.get_short_help_str()) for name, command in commands]
                )


app = typer.Typer(
    name="mcode",
    cls=_Group,
    help="A durable coding agent: every run is a thread that you can stop, resume and undo.\n\n"
    "Without a command, `mcode` is `mcode chat`: `mcode` starts a conversation, `mcode "
    '-c` continues the latest, `mcode "text"` answers one message.',
    invoke_without_command=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


_prepared = list[Any]()
_OFF = ("", "0", "false", "no", "off")


def _show_version(is_asked: bool) -> None:
    if is_asked:
        echo(f"mcode {__version__}")
        raise typer.Exit


@app.callback()
def handle_global_options(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
    lang: Annotated[
        Language | None, typer.Option("--lang", help="Language of the interface.")
    ] = None,
    profile: Annotated[
        str, typer.Option("--profile", metavar="NAME", help="Use this profile of settings.")
    ] = "",
    remote: Annotated[
        str,
        typer.Option("--remote", metavar="URL", help="Use the threads of the server at this URL."),
    ] = "",
    debug: Annotated[
        bool, typer.Option("--debug", help="Write a debug log and print its path.")
    ] = False,
    log: Annotated[
        bool, typer.Option("--log", help="Log this run's requests to the model and its answers.")
    ] = False,
    verbose: Verbose = False,
) -> None:
    """A coding agent whose every run is a thread; without a command it opens a conversation."""
    if lang:
        use_language(lang.value)
    if profile:
        os.environ["MAXAGENT_PROFILE"] = profile
        read_terminal_options(paths.locate_home())
    if remote:
        _choose_server(remote)
    if debug or is_debug_requested(os.environ):
        _start_debug_log()
    if log:
        os.environ["MAXAGENT_LOG__ENABLED"] = "true"
    if context.invoked_subcommand is None:
        if remote:
            raise UsageError(
                "a conversation at the prompt is for threads of this machine",
                hint='give one message, such as `mcode --remote URL "Which tests are red?"`',
            )
        raise typer.Exit(_run_without_command(context))


def _choose_server(url: str) -> None:
    from .remote.address import choose_server

    choose_server(url)
    use_program(f"mcode --remote {url}")


def is_debug_requested(environ: Mapping[str, str]) -> bool:
    """Return whether `MAXAGENT_DEBUG` asks for a debug log."""
    return environ.get("MAXAGENT_DEBUG", "").strip().lower() not in _OFF


def _start_debug_log() -> None:
    from ..config.debug_log import open_debug_log

    echo(t("debug.log", file=open_debug_log(paths.locate_home())), err=True)


def _run_without_command(context: typer.Context) -> int:
    """Start a conversation, answer piped input, or print the help; return the exit code."""
    if sys.stdin.isatty() and sys.stdout.isatty():
        from .repl.repl import run_repl

        return run_repl(folder=Path("."))
    if (words := read_piped_text()).strip():
        take_terminal()
        from .execution.single_turn import run_single_turn

        return run_single_turn(
            words, {}, folder=Path("."), trust=False, output=OutputFormat.text, mentioning=""
        )
    echo(context.get_help(), err=True)
    return exit_codes.USAGE


def _open_closed_streams() -> None:
    """Replace closed streams (`<&-`, `>&-`), which Python sets to None, with the null device."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115


def main() -> NoReturn:
    """Run the command line and exit; print every error as two lines, not as a traceback."""
    collect_seldom()
    defer_packages()
    _open_closed_streams()
    # libraries start programs, too: none may come from the current folder
    os.environ["PATH"] = keep_absolute_entries(os.environ.get("PATH", os.defpath))
    for name in ("COLUMNS", "LINES"):
        if not os.environ.get(name, "1").strip("0"):  # without a terminal: nothing would fit
            del os.environ[name]
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # escape what the terminal cannot show
            stream.reconfigure(errors="backslashreplace")
    try:
        code = _run_command(sys.argv[1:])
    except (KeyboardInterrupt, typer.Abort):
        code = exit_codes.INTERRUPTED
    except SystemExit as ended:  # typer's exit when the reader of stdout is gone: `… | head`
        code = (
            exit_codes.OUTPUT_CLOSED
            if isinstance(ended.__context__, BrokenPipeError)
            else ended.code
        )
    except Exception as error:
        code = _print_error(error)
    _drop_unwritable_output()
    sys.exit(code)


def complete() -> int:
    """Run `main` and do what Python does at its end, before it frees all; return the exit code."""
    code: object = exit_codes.INTERRUPTED
    try:
        main()
    except SystemExit as ended:
        code = ended.code
    with suppress(KeyboardInterrupt, OSError, ValueError):
        threading._shutdown()  # pyright: ignore
        atexit._run_exitfuncs()  # pyright: ignore
        sys.stdout.flush()
        sys.stderr.flush()
    return code if isinstance(code, int) else int(bool(code))


def _run_command(arguments: Sequence[str]) -> int:
    """Select the language, run the command and return the exit code."""
    wrong_home = paths.correct_home()
    use_language(select_language(arguments, os.environ, Path("."), paths.locate_home()))
    if wrong_home:
        raise wrong_home
    read_terminal_options(paths.locate_home())
    if [*arguments] == ["acp"] and not is_debug_requested(os.environ):
        from .commands.acp import acp  # an editor waits, and there is nothing to parse

        acp()
        return 0
    command = _prepared.pop() if _prepared else get_command(app)
    install_help_pages(command)
    return command(arguments, standalone_mode=False)


def prepare_command_line() -> Any:
    """Build the group of all commands for the next run of this process or of a fork; return it."""
    _prepared.append(get_command(app))
    return _prepared[-1]


def _print_error(error: Exception) -> int:
    """Print the error and its hint on stderr; return the exit code."""
    from .rendering.console import print_error  # imports rich

    if asks_for_help(error):
        echo(str(error), err=True)
        return exit_codes.USAGE
    if isinstance(error, WRONG_USE):
        message, hint = describe_usage_error(error)
        message, exit_code = translate_stored(message), exit_codes.USAGE
    else:
        description = describe_error(error, _find_crash_folder())
        message, hint = translate(description.message), description.hint
        exit_code = description.exit_code
    with suppress(OSError):  # the terminal is closed
        print_error(message, translate(hint) if hint else "")
    return exit_code


def _find_crash_folder() -> Path:
    try:
        return paths.locate_home()
    except UsageError:  # there is no home, which is the error
        return Path(os.devnull)


def _drop_unwritable_output() -> None:
    """Discard output that cannot be written; Python would retry at exit and print its own error."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
