"""Analysis of a command line: every command is checked, the strictest finding wins.

Nothing is run and nothing is changed; only names are looked up in the file system. If any part
cannot be parsed with certainty, the user is asked.
"""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Literal

from ...config.text import text
from ..workspace import Workspace
from .analysis import AnalyzedCommand, CommandAnalysis
from .parsing.command_line import CommandLine
from .parsing.flags import NotReadOnlyError
from .parsing.shell_state import ShellState, Word
from .parsing.simple_command import SimpleCommand
from .parsing.syntax_tree import ParseError
from .readonly.classifier import explain_not_read_only
from .readonly.found_files import is_read_only_pipeline
from .readonly.path_scope import PathScope, UnrestrictedScope
from .risks.deletions import find_unknown_target
from .risks.destructive import find_damage
from .risks.exfiltration import find_exfiltration
from .risks.home_transfers import find_home_transfer
from .risks.host_access import find_account_change, find_host_access
from .risks.outside_moves import find_outside_move
from .risks.protected_writes import find_outside_write, find_protected_write
from .risks.remote_code import find_remote_code, find_remote_shell, find_shell_override
from .risks.sensitive_files import find_secret

# A text of plain letters, and numbers that are known only at run time
_STATUS = re.compile(r"(?:\$[?#]|[\w\s:.,=()!-])*")
# MaxAgent's own commands: a model must not approve its own calls
_OWN_PROGRAMS = ("mcode", "maxagent")
_LOOP = re.compile(
    r"\s*for ([a-z][a-z0-9]{0,11}) in ((?:[A-Za-z0-9_./][\w./-]* *)+); *do ([^\n]+?);? *done\s*",
    re.ASCII,
)
# Syntax by which the body may be more than its text with the loop's word inserted
_STRANGE = re.compile(r"['\\`#{}]|\$\(|<<|\b(do|done|for|in|cd|pushd|popd|break|continue)\b")
MAX_ROUNDS = 20


def analyze_command(command: str, cwd: str, workspace: Workspace) -> CommandAnalysis:
    """Analyze a command line for the folder `cwd` of the project; never raises."""
    try:
        return _analyze_line(command, cwd, workspace)
    except ParseError as doubt:
        return CommandAnalysis(
            "ask", text("cannot be read with certainty: {reason}", reason=doubt), "unparsed"
        )
    except Exception as error:  # an error in this check must never allow a line
        return CommandAnalysis(
            "ask",
            text("the command could not be checked: {name}", name=type(error).__name__),
            "unparsed",
        )


@dataclass(frozen=True)
class _Finding:
    verdict: Literal["deny", "ask"]
    reason: str
    rule: str


def _analyze_line(command: str, cwd: str, workspace: Workspace) -> CommandAnalysis:
    if "\0" in command:
        raise ParseError("the command contains a NUL character")
    folder = Path(os.path.normpath(workspace.root / cwd))
    line = CommandLine(command, ShellState(workspace.root, folder))
    reasons = [_explain_not_read_only(step, workspace) for step in line.steps]
    fed = _find_fed_readers(line.steps, reasons, workspace)
    reasons = ["" if at + 1 in fed else reason for at, reason in enumerate(reasons)]
    findings = _find_line_risks(line, reasons, workspace)
    commands = tuple(
        AnalyzedCommand(
            step.written,
            step.literal,
            step.wrapped,
            not reason and (not step.wrapped or at in fed),
            step.folder,
        )
        for at, (step, reason) in enumerate(zip(line.steps, reasons, strict=True))
        if step.words and not step.code
    )
    guesses = tuple(step.written for step in line.steps if step.words and step.code)
    plain = line.plain and not line.doubt
    if findings:
        worst = min(findings, key=lambda finding: finding.verdict != "deny")
        return CommandAnalysis(worst.verdict, worst.reason, worst.rule, commands, plain, guesses)
    why = next(filter(None, reasons), "") or ("" if line.readable else "not a simple command")
    why = why or _find_later_cd(line)
    if why and (rounds := expand_loop(command)):
        return _analyze_rounds(rounds, cwd, workspace, why)
    if why or not commands:
        return CommandAnalysis(
            None, why or "it does not run a known program", "command", commands, plain, guesses
        )
    return CommandAnalysis(
        "allow", "it only reads inside the project", "read-only", commands, plain, guesses
    )


def _find_line_risks(line: CommandLine, reasons: list[str], workspace: Workspace) -> list[_Finding]:
    doubts = (
        [
            _Finding(
                "ask",
                text("cannot be read with certainty: {reason}", reason=line.doubt),
                "unparsed",
            )
        ]
        if line.doubt
        else []
    )
    sent = find_exfiltration(line.steps) or find_home_transfer(line.steps)
    findings = doubts + ([_Finding("ask", sent, "exfiltration")] if sent else [])
    findings += [
        finding
        for step, reason in zip(line.steps, reasons, strict=True)
        for finding in _find_risks(
            step, workspace, reads=not reason or _is_reading_program(step, workspace)
        )
    ]
    findings += [
        finding
        for step in line.steps
        for finding in _find_access_risks(step, line.steps, workspace)
    ]
    if line.bomb:
        findings.append(_Finding("deny", "it starts processes endlessly", "catastrophe"))
    return findings


def _analyze_rounds(lines: list[str], cwd: str, workspace: Workspace, why: str) -> CommandAnalysis:
    """Analyze a loop: allow it only if every line that it runs only reads."""
    analyses = [_analyze_line(line, cwd, workspace) for line in lines]
    commands = tuple(command for analysis in analyses for command in analysis.commands)
    guesses = tuple(guess for analysis in analyses for guess in analysis.guesses)
    if all(analysis.verdict == "allow" for analysis in analyses):
        return CommandAnalysis("allow", "it only reads inside the project", "read-only", commands)
    return CommandAnalysis(None, why, "command", commands, guesses=guesses)


def _find_fed_readers(
    steps: Sequence[SimpleCommand], reasons: Sequence[str], workspace: Workspace
) -> set[int]:
    """Return the indexes of commands that `xargs` runs on the output of `find`, and only read."""
    return {
        at + 2
        for at, (find, xargs) in enumerate(pairwise(steps[:-1]))
        if find.folder and not reasons[at] and not reasons[at + 2] and steps[at + 2].wrapped
        if is_read_only_pipeline(find, xargs, PathScope(find.folder, workspace))
    }


def _find_risks(step: SimpleCommand, workspace: Workspace, *, reads: bool) -> Iterator[_Finding]:
    if ruined := find_damage(step, workspace.root):
        yield _Finding("deny", ruined, "catastrophe")
    if step.code:
        return
    if secret := find_secret(step, workspace):
        names = "it names `{text}`, which may hold secrets; tools may not read it"
        matches = "it matches `{text}`, which may hold secrets; tools may not read it"
        reason = text(matches if secret.by_chance else names, text=secret.text)
        yield _Finding("ask" if secret.by_chance else "deny", reason, "sensitive")
    if name := find_protected_write(step, workspace, reads=reads):
        reason = text(
            "it may change `{name}`, which configures this agent or other tools", name=name
        )
        yield _Finding("ask", reason, "protected")
    if unseen := find_remote_code(step):
        yield _Finding("ask", unseen, "download")
    if unknown := find_unknown_target(step):
        yield _Finding("ask", unknown, "removal")
    if step.program in _OWN_PROGRAMS and len(step.words) > 1:
        yield _Finding(
            "ask", "it could answer questions for you or change your settings", "protected"
        )
    if outside := find_outside_write(step, workspace):
        yield _Finding(
            "ask",
            text("it may write to `{path}`, outside the project", path=outside),
            "outside",
        )
    if moved := find_outside_move(step, workspace):
        yield _Finding("ask", text("it moves `{name}` out of the project", name=moved), "move")


def _find_access_risks(
    step: SimpleCommand, steps: Sequence[SimpleCommand], workspace: Workspace
) -> Iterator[_Finding]:
    """Find what a step exposes to other users, and what it deletes if a `cd` before it fails."""
    if step.code:
        return
    checks = {
        "shell": find_remote_shell(step, steps) or find_shell_override(step),
        "git": _find_git_program(step, steps),
        "mount": find_host_access(step),
        "account": find_account_change(step),
    }
    yield from (_Finding("ask", why, rule) for rule, why in checks.items() if why)
    if step.left_in:
        stayed = replace(step, folder=step.left_in)
        if ruined := find_damage(stayed, workspace.root):
            yield _Finding("ask", text("if `cd` fails, {effect}", effect=ruined), "removal")


def _find_git_program(step: SimpleCommand, steps: Sequence[SimpleCommand]) -> str:
    if not step.environment and not step.program.startswith("git"):
        return ""
    from .risks.git_programs import find_git_program  # most lines start no git

    return find_git_program(step, steps)


def _find_later_cd(line: CommandLine) -> str:
    """Return a reason if a `cd` follows another command: the shell may not reach it."""
    later = any(step.program == "cd" for step in line.steps[1:])
    return "it changes the folder in the middle of the line" if later else ""


def _explain_not_read_only(step: SimpleCommand, workspace: Workspace) -> str:
    for redirect in step.redirects:
        name = redirect.target.text
        if redirect.writes:
            return text("it writes to `{name}`", name=name)
        read = [Word("cat"), redirect.target] if redirect.operator == "<" else []
        why = explain_side_effects(read, step, workspace) if read and name != "/dev/null" else ""
        if why:
            return why
    return explain_side_effects(step.words, step, workspace) if step.words else ""


def _is_reading_program(step: SimpleCommand, workspace: Workspace) -> bool:
    """Return whether the program only reads, with any files and any target of its output."""
    if not step.words or step.folder is None or not all(word.known for word in step.words):
        return False
    texts = [word.text for word in step.words]
    return not explain_not_read_only(texts, UnrestrictedScope(step.folder, workspace))


def explain_side_effects(words: Sequence[Word], step: SimpleCommand, workspace: Workspace) -> str:
    """Explain why a step does more than read, redirections aside; empty if it only reads."""
    if step.folder is None or not all(word.known or _is_status_text(word, step) for word in words):
        if words and not words[0].known:
            return text("`{text}` could be any program", text=words[0].text)
        return text(
            "the arguments of `{program}` are not known in advance",
            program=step.program or "a redirection",
        )
    texts = [word.text for word in words]
    place = PathScope(step.folder, workspace)
    if astray := _find_outside_pattern(words, place):
        return astray
    if step.program == "cd":
        return _check_cd(texts, step.folder, workspace)
    return explain_not_read_only(texts, place)


def _is_status_text(word: Word, step: SimpleCommand) -> bool:
    """Return whether `echo` prints only an exit code in this word, as in `echo "done: $?"`."""
    return step.program == "echo" and _STATUS.fullmatch(word.text) is not None


def _find_outside_pattern(words: Sequence[Word], place: PathScope) -> str:
    """Find a pattern that lists names outside the project, as in `echo ../*`."""
    try:
        for word in words:
            if word.pattern:
                place.check_path(word.text)
    except NotReadOnlyError as why:
        return str(why)
    return ""


def _check_cd(words: list[str], folder: Path, workspace: Workspace) -> str:
    if len(words) != 2 or words[1].startswith("-"):
        return "the folder `cd` goes to is not known in advance"
    real = Path(os.path.realpath(folder / words[1]))
    if not real.is_relative_to(workspace.root):
        return text("`cd` goes to `{words}`, outside the project", words=words[1])
    enters = real.is_dir() and os.access(real, os.X_OK)
    return "" if enters else text("`{words}` is not a folder you can enter", words=words[1])


def expand_loop(command: str) -> list[str]:
    """Return the lines that a loop runs in order; empty if it is not a simple loop."""
    match = _LOOP.fullmatch(command)
    if not match or _STRANGE.search(match[3]):
        return []
    name, words, body = match[1], match[2].split(), match[3]
    if len(words) > MAX_ROUNDS:
        return []
    lines = [re.sub(rf"\${name}(?!\w)", word, body) for word in words]
    return [] if any("$" in line for line in lines) else lines
