"""The one judgement of a command line: parsed, every command looked at, the strictest finding wins.

Nothing is run and nothing is changed; only names are looked up in the file system. Whatever cannot
be read with certainty is asked.
"""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Literal

from ..workspace import Workspace
from .analysis import Judgement, SimpleCommand
from .parsing.command_line import Line
from .parsing.flags import NotReadOnly
from .parsing.shell_state import Scope, Word
from .parsing.simple_command import Step
from .parsing.syntax_tree import Unparsed
from .readonly.classifier import why_not_read_only
from .readonly.found_files import reads_found_files
from .readonly.literal_loops import write_out
from .readonly.path_scope import Place
from .readonly.unrestricted_scope import AnyPlace
from .risks.deletions import blind
from .risks.destructive import ruined_by
from .risks.exfiltration import sent_away
from .risks.host_access import changed_account, opened_host
from .risks.protected_writes import outside_in, protected_in
from .risks.remote_code import runs_unseen
from .risks.remote_shell import gives_shell, opens_shell
from .risks.sensitive_files import secret_in

_STATUS = re.compile(r"(?:\$[?#]|[\w\s:.,=()!-])*")
"""A text of plain letters, and numbers that only a run would tell."""


_OURSELVES = ("mcode", "maxagent")
"""MaxAgent's own commands: a model must not give itself a yes."""


def judge(command: str, cwd: str, workspace: Workspace) -> Judgement:
    """Judge a command line that would run in the folder `cwd` of the project; never raises."""
    try:
        return _judged(command, cwd, workspace)
    except Unparsed as doubt:
        return Judgement("ask", f"{doubt}, so it is asked", "unparsed")
    except Exception as error:  # a fault of this check must never let a line through
        return Judgement("ask", f"the line could not be judged: {type(error).__name__}", "unparsed")


@dataclass(frozen=True)
class _Finding:
    verdict: Literal["deny", "ask"]
    reason: str
    rule: str


def _judged(command: str, cwd: str, workspace: Workspace) -> Judgement:
    if "\0" in command:
        raise Unparsed("the line holds a NUL, which no command can")
    folder = Path(os.path.normpath(workspace.root / cwd))
    line = Line(command, Scope(workspace.root, folder))
    reasons = [_why_not_read_only(step, workspace) for step in line.steps]
    fed = _find_fed_readers(line.steps, reasons, workspace)
    reasons = ["" if at + 1 in fed else reason for at, reason in enumerate(reasons)]
    doubts = [_Finding("ask", f"{line.doubt}, so it is asked", "unparsed")] if line.doubt else []
    sent = sent_away(line.steps)
    findings = doubts + ([_Finding("ask", sent, "exfiltration")] if sent else [])
    findings += [
        finding
        for step, reason in zip(line.steps, reasons, strict=True)
        for finding in _findings(step, workspace, reads=not reason or _reads(step, workspace))
    ]
    findings += [one for step in line.steps for one in _openings(step, line.steps, workspace)]
    commands = tuple(
        SimpleCommand(
            step.written,
            step.literal,
            step.wrapped,
            not reason and (not step.wrapped or at in fed),
            step.folder,
        )
        for at, (step, reason) in enumerate(zip(line.steps, reasons, strict=True))
        if step.words and not step.code
    )
    if line.bomb:
        findings.append(_Finding("deny", "it starts processes without end", "catastrophe"))
    plain = line.plain and not line.doubt
    if findings:
        worst = min(findings, key=lambda finding: finding.verdict != "deny")
        return Judgement(worst.verdict, worst.reason, worst.rule, commands, plain)
    why = next(filter(None, reasons), "") or ("" if line.readable else "not a simple command")
    why = why or _moves_later(line)
    if why and (rounds := write_out(command)):
        return _judged_rounds(rounds, cwd, workspace, why)
    if why or not commands:
        return Judgement(None, why or "it runs nothing that is known", "command", commands, plain)
    return Judgement("allow", "it only reads inside the project", "read-only", commands, plain)


def _judged_rounds(lines: list[str], cwd: str, workspace: Workspace, why: str) -> Judgement:
    """The judgement on a loop by those on what it runs for each of its words."""
    found = [_judged(line, cwd, workspace) for line in lines]
    commands = tuple(command for one in found for command in one.commands)
    if all(one.verdict == "allow" for one in found):
        return Judgement("allow", "it only reads inside the project", "read-only", commands)
    return Judgement(None, why, "command", commands)


def _find_fed_readers(
    steps: Sequence[Step], reasons: Sequence[str], workspace: Workspace
) -> set[int]:
    """Where a step is what `xargs` gives the names that `find` prints, and reads them alone."""
    return {
        at + 2
        for at, (find, xargs) in enumerate(pairwise(steps[:-1]))
        if find.folder and not reasons[at] and not reasons[at + 2] and steps[at + 2].wrapped
        if reads_found_files(find, xargs, Place(find.folder, workspace))
    }


def _findings(step: Step, workspace: Workspace, *, reads: bool) -> Iterator[_Finding]:
    if ruined := ruined_by(step, workspace.root):
        yield _Finding("deny", ruined, "catastrophe")
    if step.code:
        return
    if secret := secret_in(step, workspace):
        verb = "meets" if secret.by_chance else "names"
        reason = f"it {verb} `{secret.text}`, which may hold secrets that no tool may read"
        yield _Finding("ask" if secret.by_chance else "deny", reason, "sensitive")
    if name := protected_in(step, workspace, reads=reads):
        reason = f"it may change `{name}`, which steers this agent or other tools"
        yield _Finding("ask", reason, "protected")
    if unseen := runs_unseen(step):
        yield _Finding("ask", unseen, "download")
    if unknown := blind(step):
        yield _Finding("ask", unknown, "removal")
    if step.program in _OURSELVES and len(step.words) > 1:
        yield _Finding("ask", "it would answer for you or change your settings", "protected")
    if outside := outside_in(step, workspace):
        yield _Finding("ask", f"it may write to `{outside}`, outside the project", "outside")


def _openings(step: Step, steps: Sequence[Step], workspace: Workspace) -> Iterator[_Finding]:
    """What a step opens to others, and what it removes where a `cd` before it fails."""
    if step.code:
        return
    checks = {
        "shell": opens_shell(step, steps) or gives_shell(step),
        "mount": opened_host(step),
        "account": changed_account(step),
    }
    yield from (_Finding("ask", why, rule) for rule, why in checks.items() if why)
    if step.left_in:
        stayed = replace(step, folder=step.left_in)
        if ruined := ruined_by(stayed, workspace.root):
            yield _Finding("ask", f"where `cd` fails, {ruined}", "removal")


def _moves_later(line: Line) -> str:
    """A `cd` behind another command may not be reached."""
    later = any(step.program == "cd" for step in line.steps[1:])
    return "it changes the folder half-way" if later else ""


def _why_not_read_only(step: Step, workspace: Workspace) -> str:
    for redirect in step.redirects:
        name = redirect.target.text
        if redirect.writes:
            return f"it writes to `{name}`"
        read = [Word("cat"), redirect.target] if redirect.operator == "<" else []
        why = why_words_do_more(read, step, workspace) if read and name != "/dev/null" else ""
        if why:
            return why
    return why_words_do_more(step.words, step, workspace) if step.words else ""


def _reads(step: Step, workspace: Workspace) -> bool:
    """Whether its program only reads, whatever files it is given and wherever its output goes."""
    if not step.words or step.folder is None or not all(word.known for word in step.words):
        return False
    texts = [word.text for word in step.words]
    return not why_not_read_only(texts, AnyPlace(step.folder, workspace))


def why_words_do_more(words: Sequence[Word], step: Step, workspace: Workspace) -> str:
    """Why a step's words do more than read, wherever its output goes; empty when they do not."""
    if step.folder is None or not all(word.known or _says_status(word, step) for word in words):
        if words and not words[0].known:
            return f"`{words[0].text}` may be any program"
        return f"what `{step.program or 'a redirection'}` gets is only known when it runs"
    texts = [word.text for word in words]
    place = Place(step.folder, workspace)
    if astray := _pattern_leads_out(words, place):
        return astray
    if step.program == "cd":
        return _why_not_enter(texts, step.folder, workspace)
    return why_not_read_only(texts, place)


def _says_status(word: Word, step: Step) -> bool:
    """`echo "done: $?"` says no more than a number."""
    return step.program == "echo" and _STATUS.fullmatch(word.text) is not None


def _pattern_leads_out(words: Sequence[Word], place: Place) -> str:
    """`echo ../*` shows names that no tool may."""
    try:
        for word in words:
            if word.pattern:
                place.check(word.text)
    except NotReadOnly as why:
        return str(why)
    return ""


def _why_not_enter(words: list[str], folder: Path, workspace: Workspace) -> str:
    if len(words) != 2 or words[1].startswith("-"):
        return "`cd` goes to a folder that is only known when it runs"
    real = Path(os.path.realpath(folder / words[1]))
    if not real.is_relative_to(workspace.root):
        return f"`cd` goes to `{words[1]}`, outside the project"
    enters = real.is_dir() and os.access(real, os.X_OK)
    return "" if enters else f"`{words[1]}` is no folder that can be entered"
