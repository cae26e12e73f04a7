"""One requested call and the analysis of its arguments."""

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from ..rag_servers import find_server
from ..result import ToolError
from ..shell.analysis import CommandAnalysis
from ..workspace import Workspace
from .host_pattern import parse_host
from .subject import PATTERN_KINDS, READING_TOOLS, Subject

if TYPE_CHECKING:
    from ..consent.origin import Origin
    from ..definition import Effect
    from ..mcp.server_config import McpServer
    from ..shell.effects.line_effects import LineEffects
    from ..shell.effects.written_files import WrittenFiles


@dataclass(frozen=True)
class RequestedCall:
    """A tool, its arguments, and the project to which they apply."""

    tool: str
    effect: "Effect"
    args: Mapping[str, object]
    paths: Sequence[str]
    """All paths in its arguments."""
    workspace: Workspace
    servers: Mapping[str, str] = field(default_factory=dict[str, str])
    """The base URLs of the retrieval servers, by name."""
    mcp_server: "McpServer | None" = None
    """The MCP server of its tool; None: it has none, or the server is not known."""
    mcp_servers: Mapping[str, "McpServer"] = field(default_factory=dict[str, "McpServer"])
    """All MCP servers, by name."""

    @cached_property
    def analysis(self) -> CommandAnalysis | None:
        """The analysis of its command line; None if there is none."""
        if not self.command:
            return None
        from ..shell.analyzer import analyze_command

        return analyze_command(self.command, str(self.args.get("cwd") or "."), self.workspace)

    @cached_property
    def effects(self) -> "LineEffects":
        """The effects of its command line."""
        from ..shell.effects.line_effects import analyze_effects

        return analyze_effects(self.command, str(self.args.get("cwd") or "."), self.workspace)

    @cached_property
    def written_files(self) -> "WrittenFiles":
        """The files that its command line changes, if it runs only file programs."""
        from ..shell.effects.written_files import find_written_files

        return find_written_files(self.command, str(self.args.get("cwd") or "."), self.workspace)

    @property
    def command(self) -> str:
        """The command line that it runs; empty if there is none."""
        command = self.args.get("command") if self.tool == "run_command" else ""
        return command if isinstance(command, str) else ""

    @cached_property
    def origins(self) -> "tuple[Origin, ...]":
        """What it starts by a name or a path, to which an approval binds."""
        if not self.command:
            return self.find_origins(Subject(()))
        from ..consent.command_origins import find_line_origins

        commands = self.analysis.commands if self.analysis else ()
        folder = str(self.args.get("cwd") or ".")
        return find_line_origins(
            self.command, commands, self.workspace.root / folder, self.workspace.root
        )

    def find_origins(self, subject: Subject) -> "tuple[Origin, ...]":
        """Return what one of its parts starts by a name or a path."""
        if self.mcp_server:
            from ..mcp.server_origins import find_server_origins

            return find_server_origins(self.mcp_server, self.workspace.root)
        if not self.command:
            return ()
        from ..consent.command_origins import find_origins

        folder = Path(subject.folder) if subject.folder else None
        return find_origins(subject.names, folder, self.workspace.root, is_final=subject.literal)

    @property
    def is_of_server(self) -> bool:
        """Whether its tool belongs to an MCP server."""
        return self.tool.startswith("mcp_")

    @property
    def is_outside_sandbox(self) -> bool:
        """Whether it requests to run without the sandbox, even if there is none."""
        return not self.is_of_server and bool(self.args.get("outside_sandbox"))

    @property
    def server(self) -> str:
        """The configured retrieval server that it asks; empty if there is none."""
        is_about = PATTERN_KINDS.get(self.tool) == "server"
        return find_server(self.args.get("server_name"), self.servers) if is_about else ""

    @property
    def is_background(self) -> bool:
        """Whether it is a command that goes on after its call, where undo does not see it."""
        return bool(self.args.get("background"))

    @cached_property
    def files(self) -> list[str]:
        """The resolved paths, relative to the project; raises ToolError."""
        return [self.workspace.to_relative(self.workspace.resolve(path)) for path in self.paths]

    @cached_property
    def subjects(self) -> tuple[Subject, ...]:
        """The programs, files or hosts that it uses; empty if they are unknown."""
        about = PATTERN_KINDS.get(self.tool, "call")
        if about == "command":
            return self._build_command_subjects()
        if about == "host":
            host = parse_host(self.args.get("url"))
            return (Subject((host,)),) if host else ()
        if about == "server":
            return (Subject((self.server,)),) if self.server else ()
        if about == "path":
            return tuple(map(self._build_file_subject, self.paths or self._get_default_paths()))
        return (Subject((self.tool,)),)

    def _build_command_subjects(self) -> tuple[Subject, ...]:
        return tuple(
            Subject(
                command.words,
                command.literal,
                self.command.strip(),
                command.reads,
                str(command.folder or ""),
            )
            for command in (self.analysis.commands if self.analysis else ())
        )

    @property
    def guesses(self) -> tuple[Subject, ...]:
        """The commands that a program of its line may run: these can stop it, never allow it."""
        analysis = self.analysis if PATTERN_KINDS.get(self.tool) == "command" else None
        return tuple(map(Subject, analysis.guesses)) if analysis else ()

    def _get_default_paths(self) -> Sequence[str]:
        """Return the project as the path of a search without a folder."""
        return (".",) if self.tool in READING_TOOLS else ()

    def locate(self, path: str) -> Workspace:
        """Return the workspace of a path: a call that only reads may name a skill's folder."""
        can_leave = self.tool in READING_TOOLS
        return self.workspace.select_readable(path) if can_leave else self.workspace

    def _build_file_subject(self, path: str) -> Subject:
        if self.locate(path).is_outside:  # relative patterns are about the project
            return Subject((os.path.normpath(path).lstrip("/"),))
        requested_path = Path(os.path.normpath(self.workspace.root / path))
        names = [requested_path] if requested_path.is_relative_to(self.workspace.root) else []
        with suppress(ToolError):  # denied calls are denied before any rule
            names.append(self.workspace.resolve(path))
        relative = tuple(self.workspace.to_relative(name) for name in names)
        return Subject(relative, folder=str(self.workspace.root))
