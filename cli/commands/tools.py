"""`mcode tools`: list tools, and call one by hand under the same rules as a model's calls."""

import json
import sys
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...config import paths
from ...config.errors import MaxAgentError, UsageError
from ...config.exit_codes import INTERRUPTED, NEEDS_ANSWER
from ...config.text import text
from ..i18n.catalogs import t
from ..i18n.message_translation import translate
from ..lazy_imports import without_collector
from ..options import Mode, ModeFlag
from ..prompts.trust import TrustFlag, settle_here
from ..rendering.output import echo, echo_json, echo_wrapped
from ..rendering.table import show_table
from .mcp.server_lookup import load_here

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

    from ...tools.mcp.definition import ToolDefinition
    from ...tools.permissions.decision import Decision
    from ..execution.tool_session import Consent, ToolSession


# Yes, no, the answer itself, or that nobody can answer
ConsentReply = bool | str | None

app = typer.Typer(
    help="List, show and call the tools of the model.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

# Nobody has checked what a server says that its tools do
EFFECT = "execute"


@app.command("list")
def list_tools(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """List tools with effect and description, including those that MCP servers last offered."""
    from ...tools.mcp.tool_text import describe_tool
    from ...tools.tool_table import TOOLS, read_description

    rows = [
        (name, entry.effect, _take_first_sentence(read_description(name)))
        for name, entry in TOOLS.items()
    ]
    rows += [
        (name, EFFECT, _take_first_sentence(describe_tool(definition)))
        for name, definition in read_known_tools().items()
    ]
    if as_json:
        keys = ("name", "effect", "description")
        echo_json([dict(zip(keys, row, strict=True)) for row in rows])
    else:
        headers = [t(f"tools.{name}") for name in ("name", "effect", "what")]
        show_table(headers, rows, cut=headers[2:])


@app.command()
def show(name: Annotated[str, typer.Argument(help="Name or alias of a tool.")]) -> None:
    """Show a tool's description, arguments and aliases."""
    from ...tools.mcp.tool_names import PREFIX

    if name.lower().startswith(PREFIX):
        show_known_tool(name)
        return
    with without_collector():
        from ...tools.aliases import TOOLS
        from ...tools.definition import get_effect, get_schema
        from ...tools.runtime.registry import NAMES, describe_unknown_tool, resolve

    tool = resolve(name)
    if tool is None:
        raise UsageError(describe_unknown_tool(name, NAMES))
    schema = {key: value for key, value in get_schema(tool).items() if key != "description"}
    others = ", ".join(alias for alias, canonical in TOOLS.items() if canonical == tool.name)
    echo(f"{tool.name} ({get_effect(tool)})")
    echo_wrapped(f"{t('tool.others', names=others)}\n" if others else "")
    echo_wrapped(f"{tool.description}\n")
    echo(json.dumps(schema, indent=2))


@app.command()
def call(
    name: Annotated[str, typer.Argument(help="Name of the tool.")] = "",
    arguments: Annotated[str, typer.Argument(metavar="JSON", help="Arguments of the tool.")] = "{}",
    stdin: Annotated[
        bool,
        typer.Option(
            "--stdin",
            help='Read one {"tool": …, "args": {…}} per line from '
            "stdin; print one answer per line.",
        ),
    ] = False,
    mode: ModeFlag = None,
    yes: Annotated[bool, typer.Option("--yes", help="Approve all questions.")] = False,
    trust: TrustFlag = False,
) -> None:
    """Call a tool in the current folder. Exit codes: 0 success, 1 failed, 2 invalid call, 4 needs
    approval.
    """
    import asyncio

    if stdin == bool(name):
        raise UsageError("give a tool and its arguments, or --stdin", hint="`mcode tools list`")
    settle_here(yes=trust)
    if stdin:
        asyncio.run(_answer_lines(mode, yes))
    else:
        asyncio.run(_call_one(name, arguments, mode, yes))


async def _call_one(name: str, arguments: str, mode: Mode | None, yes: bool) -> None:
    from ..execution.tool_session import read_object

    try:
        args = read_object(arguments)
    except ValueError as error:
        raise UsageError(
            text("the arguments are not a JSON object: {error}", error=error)
        ) from None
    # always the same folder and id, so that the next call can read a long output
    session = _open_session(mode, paths.locate_outputs(paths.locate_home(), "by-hand"))
    at_terminal = sys.stdin.isatty() and not yes
    reply = await session.call_tool(
        name, args, _build_prompted_consent(session) if at_terminal else _build_fixed_consent(yes)
    )
    if reply.output:
        echo(reply.output.rstrip("\n"))
    if reply.exit_code:
        raise ToolCallError(reply.error, reply.exit_code)


class ToolCallError(MaxAgentError):
    """A tool's error, with the exit code of its kind."""

    def __init__(self, message: str, exit_code: int) -> None:
        hint = (
            "approve it with `--yes`, or choose another `--mode`"
            if exit_code == NEEDS_ANSWER
            else ""
        )
        super().__init__(message, hint=hint)
        self.exit_code = exit_code


async def _answer_lines(mode: Mode | None, yes: bool) -> None:
    import asyncio
    import tempfile

    consent = _build_fixed_consent(yes)
    with tempfile.TemporaryDirectory(prefix="maxagent-") as outputs:
        session = _open_session(mode, Path(outputs))
        while line := await asyncio.to_thread(sys.stdin.buffer.readline):
            if line.strip():
                reply = await session.call_line(line, consent)
                echo_json(reply.as_mapping(), indent=None)


def _take_first_sentence(description: str) -> str:
    return " ".join(description.split()).split(". ")[0].rstrip(".")


def _open_session(mode: Mode | None, outputs: Path) -> "ToolSession":
    with without_collector():
        from ...config.settings.loader import load_settings
        from ..execution.tool_session import ToolSession

    folder = Path.cwd()
    loaded = load_settings(
        folder, paths.locate_home(), flags={"security.mode": mode.value if mode else None}
    )
    session = ToolSession(folder, loaded, outputs)
    if not session.sandbox.is_on and loaded.settings.sandbox.mode != "off":
        echo(t("tool.no_sandbox", why=translate(session.sandbox.why_none)), err=True)
    return session


def _build_fixed_consent(yes: bool) -> "Consent":
    """Build the consent for a run without a user."""

    async def give_consent(
        tool: "BaseTool", args: Mapping[str, object], decision: "Decision"
    ) -> ConsentReply:
        return yes or None

    return give_consent


def _build_prompted_consent(session: "ToolSession") -> "Consent":
    """Build the consent that asks the user at the terminal, with the same details as a thread."""
    import asyncio

    async def ask_user(
        tool: "BaseTool", args: Mapping[str, object], decision: "Decision"
    ) -> ConsentReply:
        request = await session.build_request(tool, args, decision)
        return await asyncio.to_thread(
            _ask_decision, request, is_question=decision.rule == "effect"
        )

    return ask_user


def _ask_decision(request: Mapping[str, object], *, is_question: bool) -> ConsentReply:
    from ..prompts.interrupts import decide_request
    from ..rendering.console import open_console

    try:
        decided = decide_request(
            open_console(), request, ["respond"] if is_question else ["approve"]
        )
    except (EOFError, KeyboardInterrupt):
        raise typer.Exit(INTERRUPTED) from None
    return str(decided["message"]) if is_question else decided["type"] == "approve"


def read_known_tools() -> "dict[str, ToolDefinition]":
    """Return the tools of the usable servers by the names that models call."""
    from ...tools.mcp.definition_cache import read_definitions
    from ...tools.mcp.tool_names import name_tools

    usable = [server for server in load_here().servers if server.is_usable]
    cached_definitions = [read_definitions(paths.locate_home(), server) for server in usable]
    return name_tools(
        tool for definitions in cached_definitions if definitions for tool in definitions.tools
    )


def show_known_tool(name: str) -> None:
    """Show a tool's description and arguments; `mcp__SERVER__TOOL` is the same name."""
    from ...tools.mcp.tool_names import fold_name
    from ...tools.mcp.tool_text import describe_tool

    known_tools = read_known_tools()
    own_name = next(
        (known_name for known_name in known_tools if fold_name(known_name) == fold_name(name)), None
    )
    if own_name is None:
        near = ", ".join(
            f"`{known_name}`" for known_name in get_close_matches(name, known_tools, n=3)
        )
        raise UsageError(
            text("no MCP server is known to have a tool `{name}`", name=name),
            hint=text("did you mean {names}?", names=near)
            if near
            else "`mcode mcp list` asks all servers",
        )
    echo(f"{own_name} ({EFFECT})")
    echo_wrapped(f"{describe_tool(known_tools[own_name])}\n")
    echo(json.dumps(known_tools[own_name].schema, indent=2))
