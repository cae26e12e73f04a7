"""`mcode mcp add`, `enable`, `disable` and `remove`."""

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from ....config import paths
from ....config.errors import UsageError
from ....config.text import text
from ...i18n.catalogs import t
from ...i18n.message_translation import translate
from ...rendering.output import echo
from .connection_check import check_connections, describe_connection, warn_of_sandbox
from .listing import ServerName
from .server_lookup import find_server

if TYPE_CHECKING:
    from contextlib import AbstractContextManager


_NAME = re.compile(r"[A-Za-z0-9_-]{1,40}")
_URL = re.compile(r"https?://", re.IGNORECASE)
# `localhost:3000/mcp`, `mcp.example.com`, `ws://x`: what nobody names a program
_BARE_URL = re.compile(
    r"""\w+://.*
    | (localhost | [\w-]+(\.[\w-]+)*(?=:\d) | [\w-]+(\.[\w-]+)+(?=/) | [\w-]+(\.[\w-]+){2,})
      (:\d+)? (/.*)?""",
    re.IGNORECASE | re.VERBOSE,
)

Definition = dict[str, object]


class TransportName(StrEnum):
    """How a server is reached, as in `tools/mcp/server_config.py`."""

    stdio = "stdio"
    http = "http"
    sse = "sse"


class AddCommand(TyperCommand):
    """Command that helps where the `--` in front of a server's command is missing."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments; raises UsageError for an option of the server's command."""
        try:
            return super().parse_args(ctx, list(args))
        except Exception as error:  # typer does not export its error for a wrong option
            option = str(getattr(error, "option_name", ""))
            if not option or "--" in args:
                raise
            raise UsageError(
                text("there is no option `{option}`", option=option),
                hint="put `--` before the command of a server: "
                "`mcode mcp add NAME -- COMMAND ARGS`",
            ) from error


Target = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="URL | -- COMMAND ARGS", help="URL of the server, or its command after `--`."
    ),
]
Transport = Annotated[
    TransportName | None,
    typer.Option("--transport", "-t", help="Default: http for a URL, stdio for a command."),
]
Headers = Annotated[
    list[str] | None,
    typer.Option("--header", "-H", metavar="'NAME: VALUE'", help="Header; repeat for more."),
]
Command = Annotated[
    str, typer.Option("--command", metavar="COMMAND", help="Program that runs the server.")
]
Arguments = Annotated[
    list[str] | None,
    typer.Option("--arg", metavar="ARG", help="Argument of --command; repeat for more."),
]
Environment = Annotated[
    list[str] | None,
    typer.Option("--env", "-e", metavar="NAME=VALUE", help="Variable; repeat for more."),
]
InProject = Annotated[
    bool, typer.Option("--project", help="Write it into .mcp.json of the current folder.")
]
Force = Annotated[bool, typer.Option("--force", help="Replace a server of this name.")]


def add(
    name: ServerName,
    target: Target = None,
    transport: Transport = None,
    header: Headers = None,
    command: Command = "",
    arg: Arguments = None,
    env: Environment = None,
    project: InProject = False,
    force: Force = False,
) -> None:
    """Add a server, and connect to it.

    Forms: `add NAME URL`, `add NAME -- COMMAND ARGS`, `add NAME --command COMMAND --arg ARG`.
    Write secrets as `${VARIABLE}` in single quotes. Exit code 2: the name is taken.
    """
    validate_name(name)
    words = join_command(target or [], command, arg or [])
    definition = build_definition(words, transport, header or [], env or [])
    _validate(name, definition)
    file = Path.cwd() / ".mcp.json" if project else paths.locate_mcp_servers()
    _check_secrets(name, definition, file, project=project)
    _store(name, definition, file, project=project, replace=force)
    echo(t("mcp.added", name=name, file=file), err=True)
    _report_connection(name, file)


def _validate(name: str, definition: Definition) -> None:
    """Raise UsageError for a wrong definition; only say that a variable is not set."""
    from ....tools.mcp.server_parser import validate_definition
    from ....tools.mcp.variables import UnsetVariableError, Variables

    try:
        validate_definition(name, definition, Variables(os.environ, Path.cwd()))
    except UnsetVariableError as error:
        echo(t("mcp.unset", problem=translate(error.message)), err=True)


def _store(name: str, definition: Definition, file: Path, *, project: bool, replace: bool) -> None:
    from ....tools.mcp.config_writer import add_server

    entry = definition if project else {"name": name, **definition, "enabled": True}
    with _keep_trust(is_project=project):
        add_server(file, name, entry, replace=replace, project=_find_project(project))


def enable(name: ServerName) -> None:
    """Enable a server."""
    _set_enabled(name, enabled=True)


def disable(name: ServerName) -> None:
    """Disable a server, but keep it in its file."""
    _set_enabled(name, enabled=False)


def remove(name: ServerName) -> None:
    """Remove a server from its file."""
    from ....tools.mcp.config_writer import remove_server

    server = find_server(name)
    with _keep_trust(is_project=server.from_project):
        remove_server(Path(server.source), name, project=_find_project(server.from_project))
    echo(t("mcp.removed", name=name, file=server.source), err=True)


def _set_enabled(name: str, *, enabled: bool) -> None:
    from ....tools.mcp.config_writer import enable_server

    server = find_server(name)
    with _keep_trust(is_project=server.from_project):
        project = _find_project(server.from_project)
        enable_server(Path(server.source), name, enabled=enabled, project=project)
    key = "mcp.now_enabled" if enabled else "mcp.now_disabled"
    echo(t(key, name=name, file=server.source), err=True)


def _find_project(is_project: bool) -> Path | None:
    return Path.cwd() if is_project else None


def _keep_trust(*, is_project: bool) -> "AbstractContextManager[None]":
    """A trusted folder stays trusted when its user changes its servers."""
    from ....config.trust.decision import keep_trust

    return keep_trust(Path.cwd(), paths.locate_home(), "mcp") if is_project else nullcontext()


def _check_secrets(name: str, definition: Definition, file: Path, *, project: bool) -> None:
    """Warn of secrets that are written out; refuse them in a file that others read."""
    for secret, example in find_literal_secrets(name, definition):
        if project:
            raise UsageError(
                text("anyone with access to the project could read `{key}`", key=secret),
                hint=text("remove `--project`, or write {example}", example=example),
            )
        echo(t("mcp.literal", secret=secret, file=file, example=example), err=True)


def _report_connection(name: str, file: Path) -> None:
    """Connect, and say whether it works or why the server is not used."""
    server = find_server(name)
    if Path(server.source) != file:
        echo(t("mcp.shadowed", name=name, file=file, other=server.source), err=True)
        return
    if not server.problem:
        echo(t("mcp.testing"), err=True)
    checks = check_connections([server])
    echo(f"{name}: {describe_connection(checks[name])}", err=True)
    warn_of_sandbox([server], checks)


def validate_name(name: str) -> None:
    """Raise UsageError for a name that a new server cannot have."""
    if not _NAME.fullmatch(name):
        raise UsageError(
            text("`{name}` cannot be the name of a server", name=name),
            hint="use at most 40 letters, digits, `-` and `_`",
        )


def join_command(target: list[str], command: str, arguments: list[str]) -> list[str]:
    """Return the words of the command, or the URL as the only one."""
    if bool(target) == bool(command) or (arguments and not command):
        raise UsageError(
            "give a URL, a command after `--`, or --command",
            hint="use `mcode mcp add NAME URL` or `mcode mcp add NAME -- COMMAND ARGS`",
        )
    return target or [command, *arguments]


def build_definition(
    words: list[str], transport: TransportName | None, headers: list[str], env: list[str]
) -> Definition:
    """Return the definition as it is stored; raises UsageError for parts that do not fit."""
    is_url = bool(_URL.match(words[0]))
    if transport is None and not is_url and len(words) == 1 and _BARE_URL.fullmatch(words[0]):
        raise UsageError(
            text("`{word}` has no `https://` or `http://`", word=words[0]),
            hint="write a URL with its scheme; for a program of this name add `--transport stdio`",
        )
    kind = transport or (TransportName.http if is_url else TransportName.stdio)
    if kind is TransportName.stdio:
        if headers or is_url:
            raise UsageError(
                "a server of the transport stdio is a command, without URL and headers",
                hint="use `mcode mcp add NAME -- COMMAND ARGS`",
            )
        variables = dict(_split_pair(pair, "=", "--env NAME=VALUE") for pair in env)
        added: Definition = {"env": variables} if variables else {}
        return {"type": "stdio", "command": words[0], "args": words[1:], **added}
    if env or len(words) > 1:
        raise UsageError(
            text("a server of the transport {transport} is one URL, without variables",
                 transport=kind.value),
            hint="`mcode mcp add NAME URL --header 'NAME: VALUE'`",
        )  # fmt: skip
    pairs = dict(_split_pair(header, ":", "--header 'NAME: VALUE'") for header in headers)
    return {"type": kind.value, "url": words[0], **({"headers": pairs} if pairs else {})}


def _split_pair(pair: str, separator: str, form: str) -> tuple[str, str]:
    name, found_separator, value = pair.partition(separator)
    if not found_separator or not name.strip():
        # the text may be a secret
        raise UsageError(text("write it as `{form}`", form=form))
    return name.strip(), value.strip() if separator == ":" else value


def find_literal_secrets(name: str, definition: Definition) -> Iterator[tuple[str, str]]:
    """Yield the name of each header or variable with a secret, and how to write it."""
    from ....tools.mcp.secret_values import is_secret

    variable = f"{re.sub(r'[^A-Za-z0-9]', '_', name).upper()}_TOKEN"
    for key, value in _read_pairs(definition, "env"):
        if is_secret(key, value):
            yield key, f"`--env '{key}=${{{key}}}'`"
    for key, value in _read_pairs(definition, "headers"):
        if is_secret(key, value):
            scheme = "Bearer " if value.lower().startswith("bearer ") else ""
            yield key, f"`--header '{key}: {scheme}${{{variable}}}'`"


def _read_pairs(definition: Definition, key: str) -> list[tuple[str, str]]:
    pairs = definition.get(key)
    items: list[tuple[object, object]] = [*pairs.items()] if isinstance(pairs, Mapping) else []
    return [(str(name), str(value)) for name, value in items]
