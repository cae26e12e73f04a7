"""Until `tools/shell/judge.py` stands: a judgement from the words alone."""

from ..command_check import check
from ..shell.judgement import Judgement, SimpleCommand
from ..shell_words import plain_words, split
from ..workspace import Workspace


def judge(command: str, cwd: str, workspace: Workspace) -> Judgement:
    """What the words of a line show."""
    found = check(command, cwd, workspace)
    commands = tuple(SimpleCommand(words) for words in split(command).commands)
    plain = plain_words(command) is not None
    if found:
        return Judgement(found.verdict, found.reason, found.rule, commands, plain)
    return Judgement(None, "", "command", commands, plain)
