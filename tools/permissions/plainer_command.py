"""A plainer command line that does no less, for rules that allow: they name its first words.

`CI=1 timeout 60 npm test` is `npm test`; a commit's message in a here-document is one by `-m`.
What is not known here keeps its question, since a variable can choose a program that runs.
"""

import re
from dataclasses import replace

from .call import RequestedCall

_VALUE = r"(?:'[\w.,:@%+*= -]*'|\"[\w.,:@%+*= -]*\"|[\w.,:@%+*-]*)"
_ASSIGNMENT = re.compile(rf"(?P<name>[A-Za-z_]\w*)=(?P<value>{_VALUE})[ \t]+")
_DURATION = r"\d+(?:\.\d+)?[smhd]?"
_WRAPPER = re.compile(
    rf"""(?:timeout(?:[ ](?:-k|--kill-after)[ =]{_DURATION}|[ ](?:-s|--signal)[ =](?:SIG)?[A-Z]+
        |[ ]--foreground|[ ]--preserve-status)*[ ]{_DURATION}
      |nice(?:[ ]-n[ ]\d+|[ ]-\d+)?|time(?:[ ]-p)?|nohup|env|stdbuf(?:[ ]-[ioe][L0])+
      )[ \t]+(?=[\w./'"])""",
    re.VERBOSE,
)
# Nothing before and after it is quoted, so that the shell reads the here-document as well
_MESSAGE = re.compile(
    r"""\A(?P<before>[\w ./:&;=@+-]*\bgit[ ]commit(?:[ ]--?[\w-]+)*?)[ ](?:-F[ ]?-|--file[ =]-)
    [ ]?<<(?P<quote>['"]?)(?P<end>\w+)(?P=quote)(?P<after>[\w ./:&;=@+|-]*)\n
    (?P<body>(?:(?!(?P=end)(?:\n|\Z)).*\n)*?)(?P=end)\Z""",
    re.VERBOSE,
)
# They only tell a program where it runs, what it prints and how much
_KNOWN = re.compile(
    r"CI|(?:NODE|RAILS|RACK|APP|FLASK|MIX)_ENV|DEBUG|VERBOSE|(?:FORCE|NO|CLICOLOR|CARGO_TERM)_?COLOR"
    r"|CLICOLOR(?:_FORCE)?|TERM|COLORTERM|COLUMNS|LINES|LANG|LANGUAGE|LC_[A-Z]+|TZ"
    r"|PYTHON(?:UNBUFFERED|DONTWRITEBYTECODE|HASHSEED|IOENCODING|UTF8)"
    r"|RUST_(?:BACKTRACE|LOG)|LOG_?LEVEL|GOMAXPROCS|CGO_ENABLED|PORT"
)
# A switch that may turn a check off, or one of a tool that others start
_RISKY = re.compile(
    r"^(?:LD|DYLD|NPM_CONFIG|BASH|GIT|GLIBC|MALLOC|SSH|PIP|UV|YARN|PNPM|DOCKER|KUBE|NODE|PYTHON|PERL"
    r"|RUBY|JAVA|LLC|MAXAGENT)|SSL|TLS|VERIF|CERT|PROX|HUSKY|SKIP|HOOK|CONFIRM|YES|TRUST|SAFE|SANDBOX"
    r"|AUTH|SECUR|SIGN|FORCE|ALLOW|DISABLE|BYPASS|INSPECT|DANGER|ATTEND|ROOT|ENV$",
    re.IGNORECASE,
)


def simplify(call: RequestedCall) -> RequestedCall:
    """Return the call with a plainer command line; only rules that allow may look at it."""
    line = call.command.strip()
    plainer = _remove_beginning(_MESSAGE.sub(_write_message, line))
    return replace(call, args={**call.args, "command": plainer}) if plainer != line else call


def _remove_beginning(line: str) -> str:
    command = line
    while match := _ASSIGNMENT.match(command) or _WRAPPER.match(command):
        values = match.groupdict()
        if values.get("name") and not _is_harmless(values["name"], values["value"].strip("'\"")):
            return line
        command = command[match.end() :]
    return command


def _write_message(match: re.Match[str]) -> str:
    expands = not match["quote"] and re.search(r"[$`\\]", match["body"])
    return match[0] if expands else f"{match['before']} -m message{match['after']}"


def _is_harmless(name: str, value: str) -> bool:
    if _KNOWN.fullmatch(name):
        return True
    return value in ("0", "1", "true", "false") and not _RISKY.search(name)
