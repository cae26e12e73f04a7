"""Programs that run another command: the command as words, or as a line to parse.

A command found here may be denied; it is never a reason to allow anything.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from .shell_state import Word
from .simple_command import SimpleCommand

# Placeholder for words that a program reads from unknown input
UNKNOWN_INPUT = "(its input)"
_INPUT_VARIABLE = "$_xargs_input"
SHELLS = frozenset(["sh", "bash", "dash", "zsh", "ksh", "ash", "fish", "rbash", "mksh"])


@dataclass(frozen=True)
class InnerCommand:
    """A command that another command runs."""

    words: tuple[Word, ...] = ()
    line: str = ""
    """A line for a shell to parse, in place of words."""
    fed: bool = False
    """Whether a line gets the input of its outer command."""
    same_shell: bool = False
    """Whether it runs in the same shell, so that its `cd` and its variables persist."""
    arguments: tuple[Word, ...] | None = None
    """The values of `$0`, `$1` and so on in the line; None: those of the outer line."""
    folder: str = ""
    """The folder where it runs, if not that of the wrapper."""
    variables: tuple[Word, ...] = ()
    """The assignments before it, as in `env NAME=VALUE`."""


@dataclass(frozen=True)
class _Wrapper:
    """How to find the command after a wrapper's own words."""

    values: str = ""
    """Options whose value is a separate word."""
    before: int = 0
    """Number of words before the command, such as the seconds of `timeout`."""
    text_option: str = ""
    """Options whose value is a line for a shell."""
    joined: bool = False
    """Whether the words are joined into a line for a shell."""


_WRAPPERS: Mapping[str, _Wrapper] = {
    "sudo": _Wrapper("-u -g -h -p -C -r -t -T -U -D -R --user --group --chdir --host --prompt"),
    "doas": _Wrapper("-u -C"),
    "pkexec": _Wrapper("--user"),
    "run0": _Wrapper("-u --user -D --chdir"),
    "env": _Wrapper("-u -C --unset --chdir", text_option="-S --split-string"),
    "time": _Wrapper("-f -o --format --output"),
    "timeout": _Wrapper("-s -k --signal --kill-after", before=1),
    "gtimeout": _Wrapper("-s -k --signal --kill-after", before=1),
    "nice": _Wrapper("-n --adjustment"),
    "ionice": _Wrapper("-c -n -p --class --classdata"),
    "chrt": _Wrapper("-T -P -D", before=1),
    "taskset": _Wrapper("-c --cpu-list", before=1),
    "nohup": _Wrapper(),
    "setsid": _Wrapper(),
    "stdbuf": _Wrapper("-i -o -e --input --output --error"),
    "unbuffer": _Wrapper(),
    "command": _Wrapper(),
    "builtin": _Wrapper(),
    "exec": _Wrapper("-a"),
    "coproc": _Wrapper(),
    "noglob": _Wrapper(),
    "busybox": _Wrapper(),
    "toybox": _Wrapper(),
    "xargs": _Wrapper(
        "-I -L -n -P -s -d -a -E --replace --max-lines --max-args --max-procs --delimiter"
        " --arg-file"
    ),
    "parallel": _Wrapper("-j -a -I --jobs --colsep --arg-file --delay", joined=True),
    "watch": _Wrapper("-n --interval", joined=True),
    "eval": _Wrapper(joined=True),
    "ssh": _Wrapper("-i -p -l -o -F -J -L -R -D -b -c -e -m -E -S -W -w", before=1, joined=True),
    "su": _Wrapper("-s -g -G -w", before=9, text_option="-c --command"),
    "runuser": _Wrapper("-s -g -G -u -w -l", text_option="-c --command"),
    "script": _Wrapper("-I -O -B -T -E -m -o", before=9, text_option="-c --command"),
    "flock": _Wrapper("-w -E --timeout --wait", before=1, text_option="-c --command"),
    "trap": _Wrapper(text_option=""),
    "strace": _Wrapper("-e -o -p -s -u -P -E -a -b -S"),
    "ltrace": _Wrapper("-e -o -p -s -u -n -a"),
    "chroot": _Wrapper("", before=1),
    "unshare": _Wrapper("-S -G -R -w --map-user --map-group"),
    "nsenter": _Wrapper("-t -S -G --target"),
    "fakeroot": _Wrapper("-l -s -i -b"),
    "firejail": _Wrapper(),
    "systemd-run": _Wrapper("-p -u -E --unit --property --uid --gid"),
    "dbus-run-session": _Wrapper(),
    "start-stop-daemon": _Wrapper("", before=9),
    "caffeinate": _Wrapper("-t -w"),
    "rlwrap": _Wrapper(),
    "entr": _Wrapper(),
    "tmux": _Wrapper("-s -n -c -t -L -S -f -e", before=1, joined=True),
    "screen": _Wrapper("-S -t -c -e -h"),
    "at": _Wrapper("", before=99),
    "uv": _Wrapper("--with --python -p --project", before=1),
    "poetry": _Wrapper("", before=1),
    "pipenv": _Wrapper("", before=1),
    "bundle": _Wrapper("", before=1),
    **dict.fromkeys(("npx", "bunx", "uvx"), _Wrapper("-p --package", text_option="-c --call")),
    "chronic": _Wrapper(),
    "cross-env": _Wrapper(),
    "cross-env-shell": _Wrapper(joined=True),
    "dumb-init": _Wrapper(),
    "gosu": _Wrapper("", before=1),
    "numactl": _Wrapper("-C -N -m -i -p"),
    "prlimit": _Wrapper(),
    "setarch": _Wrapper("", before=1),
    "su-exec": _Wrapper("", before=1),
    "tini": _Wrapper("-p -e"),
    "watchexec": _Wrapper("-e -w -i -d -f -o -s --exts --watch --ignore --debounce --filter"),
    "find": _Wrapper("", before=99),
    "fd": _Wrapper("", before=99),
}
_RUNNER_VALUES = (
    "-n -p -C -w -e --name --prefix --cwd --dir --workspace --package --filter --env-file"
)
# Programs whose subcommand runs the words after it, with the words of its own before them
_RUNNERS: Mapping[str, Mapping[str, int]] = {
    "npm": {"exec": 0, "x": 0},
    "pnpm": {"exec": 0, "dlx": 0},
    "yarn": {"exec": 0, "dlx": 0},
    "bun": {"x": 0, "run": 0},
    "corepack": {"npm": -1, "pnpm": -1, "yarn": -1},
    "pipx": {"run": 0},
    **dict.fromkeys(("conda", "mamba", "micromamba", "hatch", "pdm", "rye", "pixi"), {"run": 0}),
    **dict.fromkeys(("mise", "rtx"), {"exec": 0, "x": 0}),
    "asdf": {"exec": 0},
    "direnv": {"exec": 1},
    **dict.fromkeys(("doppler", "op", "infisical", "dotenvx", "chamber"), {"run": 0, "exec": 1}),
    "aws-vault": {"exec": 1},
    "dotenv": {"": 0, "run": 0},
    "rustup": {"run": 1},
    "opam": {"exec": 0},
    "stack": {"exec": 0},
    "cabal": {"exec": 0},
    "mix": {"cmd": 0},
    "lerna": {"exec": 0},
}
_MOVES = frozenset(["-C", "--chdir", "-D"])
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_GIT_SETTING = re.compile(
    r"(?:core|diff|sequence|gpg|credential|difftool|mergetool)\.\S*?=(\S+ .+)", re.DOTALL
)
_SAME_SHELL = frozenset(["command", "builtin", "eval", "exec", "time", "trap"])
_FIND_RUNS = frozenset(["-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"])


def unwrap(step: SimpleCommand) -> list[InnerCommand]:
    """Return the commands that a step's program runs."""
    words = step.words[1:]
    program = step.program
    if program in SHELLS:
        return _unwrap_shell(words, step)
    if program in ("source", "."):
        fed = [step.feed.text] if step.feed.text else []
        return [InnerCommand(line=line, same_shell=True) for line in (*fed, *step.scripts)]
    if step.words and step.scripts and step.words[0].text.startswith(("./", "/")):
        return [InnerCommand(line=line) for line in step.scripts]
    if program in ("find", "fd", "fdfind"):
        return _unwrap_find(words)
    if program == "git":
        return _unwrap_git(words)
    if program == "command" and words and words[0].text in ("-v", "-V"):
        return []  # it only prints what it would run
    if program == "trap":
        return [InnerCommand(line=words[0].text, same_shell=True)] if len(words) > 1 else []
    if program == "alias":
        return [InnerCommand(line=word.text.split("=", 1)[1]) for word in words if "=" in word.text]
    if program in ("at", "batch"):
        return [InnerCommand(line=step.feed.text)] if step.feed.text else []
    if program in _RUNNERS:
        return _unwrap_runner(_RUNNERS[program], words)
    if program == "uv" and all(word.known and word.text not in ("run", "tool") for word in words):
        return []  # it runs no program that it is given
    wrapper = _WRAPPERS.get(program)
    return _unwrap_program(program, wrapper, words, step) if wrapper else []


def _unwrap_program(
    program: str, wrapper: _Wrapper, words: Sequence[Word], step: SimpleCommand
) -> list[InnerCommand]:
    own = program in _SAME_SHELL
    line, rest = _skip_options(wrapper, words)
    if line is not None:
        return [InnerCommand(line=" ".join([line, *(word.text for word in rest)]), fed=True)]
    if program in ("su", "script") or (program == "sudo" and not rest):
        return [InnerCommand(line=step.feed.text)] if step.feed.text else []
    if program in ("xargs", "parallel") and rest:
        rest = _insert_input(rest, step.feed.text, _find_placeholder(words))
    if not rest:
        return []
    if wrapper.joined:
        text = " ".join(word.text for word in rest)
        return [InnerCommand(line=text, fed=True, same_shell=own)]
    moved = [value.text for option, value in pairwise(words) if option.text in _MOVES]
    folder, before = moved[0] if moved else "", words[: len(words) - len(rest)]
    variables = tuple(word for word in before if _ASSIGNMENT.match(word.text))
    return [InnerCommand(tuple(rest), same_shell=own, folder=folder, variables=variables)]


def _skip_options(wrapper: _Wrapper, words: Sequence[Word]) -> tuple[str | None, Sequence[Word]]:
    """Return the line that an option gives, and the words after the options."""
    at, skipped = 0, 0
    values, texts = wrapper.values.split(), wrapper.text_option.split()
    while at < len(words):
        word = words[at].text
        if word == "--":
            at += 1
            break
        name, _, joined = word.partition("=")
        if word in texts and at + 1 < len(words):
            return words[at + 1].text, words[at + 2 :]
        if name in texts and joined:
            return joined, words[at + 1 :]
        if "-c" in texts and re.fullmatch(r"-[a-zA-Z]+c", word) and at + 1 < len(words):
            return words[at + 1].text, words[at + 2 :]
        if short := next(
            (option for option in texts if len(option) == 2 and word.startswith(option)), ""
        ):
            return word.removeprefix(short), words[at + 1 :]
        if word in values:
            at += 2
        elif word.startswith(("-", "+")) or re.match(r"\w+=", word):
            at += 1
        elif skipped < wrapper.before:
            at, skipped = at + 1, skipped + 1
        else:
            break
    return None, words[at:]


def _unwrap_shell(words: Sequence[Word], step: SimpleCommand) -> list[InnerCommand]:
    at = 0
    while at < len(words) and words[at].text.startswith(("-", "+")):
        option = words[at].text
        at += 1
        if re.fullmatch(r"-[a-zA-Z]*c[a-zA-Z]*", option) or option == "--command":
            while at < len(words) and words[at].text.startswith(("-", "+")):
                at += 1
            if at == len(words):
                return []
            arguments = tuple(words[at + 1 :])
            return [InnerCommand(line=words[at].text, fed=True, arguments=arguments)]
        at += option in ("-o", "-O", "+o", "+O", "--rcfile", "--init-file")
        if option in ("-", "--", "-s"):
            break
    script = words[at].text if at < len(words) else "/dev/stdin"
    reads = script in ("/dev/stdin", "/dev/fd/0", "/proc/self/fd/0") or words[at - 1].text == "-s"
    fed = [step.feed.text] if step.feed.text and reads else []
    return [InnerCommand(line=line) for line in (*fed, *step.scripts)]


def _unwrap_runner(subcommands: Mapping[str, int], arguments: Sequence[Word]) -> list[InnerCommand]:
    """Return what stands after the subcommand that runs it, or after `--`."""
    texts = [word.text for word in arguments]
    start = next((at for at, text in enumerate(texts) if text in subcommands), None)
    if start is None and "" not in subcommands:
        return []
    before = subcommands[texts[start] if start is not None else ""]
    inner = arguments[0 if start is None else start + 1 + min(before, 0) :]
    options = _Wrapper(_RUNNER_VALUES, max(before, 0), "-c --call")
    line, inner = _skip_options(options, inner)
    if "--" in texts[start or 0 :]:
        inner = arguments[texts.index("--", start or 0) + 1 :]
    if line:
        return [InnerCommand(line=line)]
    return [InnerCommand(words=tuple(inner))] if inner else []


def _unwrap_find(words: Sequence[Word]) -> list[InnerCommand]:
    """Return the commands that `find` runs for each file; `{}` is the file."""
    inner, at = list[InnerCommand](), 0
    while at < len(words):
        if words[at].text in _FIND_RUNS:
            end = next(
                (i for i in range(at, len(words)) if words[i].text in (";", "+")), len(words)
            )
            inner.append(InnerCommand(words=tuple(words[at + 1 : end])))
            at = end
        at += 1
    return inner


def _unwrap_git(words: Sequence[Word]) -> list[InnerCommand]:
    texts = [word.text for word in words]
    lines = [text.split("!", 1)[1] for text in texts if re.match(r"alias\.[^=]+=!", text)]
    lines += [match[1] for text in texts if (match := _GIT_SETTING.fullmatch(text))]
    for at, text in enumerate(texts):
        following = texts[at + 1 :]
        if text in ("-x", "--exec", "--tree-filter", "--index-filter", "--msg-filter"):
            lines += following[:1]
        elif text.startswith("--exec="):
            lines.append(text.removeprefix("--exec="))
        elif text == "foreach" or texts[at - 1 : at + 1] == ["bisect", "run"]:
            lines.append(" ".join(word for word in following if word != "--recursive"))
        elif re.fullmatch(r"alias\.\S+", text) and following and following[0].startswith("!"):
            lines.append(following[0][1:])
    return [InnerCommand(line=line) for line in lines if line]


def _find_placeholder(words: Sequence[Word]) -> str:
    """Return the placeholder that `xargs -I` replaces with its input."""
    texts = [word.text for word in words]
    for at, text in enumerate(texts):
        if text == "-I" and at + 1 < len(texts):
            return texts[at + 1]
        if text.startswith("-I"):
            return text[2:]
    return ""


def _forget_input(word: Word, sign: str) -> Word:
    """Return a word with unknown input in place of a placeholder; in a line it is a variable."""
    if sign not in word.text:
        return word
    text = word.text.replace(sign, _INPUT_VARIABLE) if " " in word.text else word.text
    return Word(text, known=False, rest=word.text.replace(sign, ""))


def _insert_input(words: Sequence[Word], input_text: str | None, sign: str) -> list[Word]:
    """Insert the input of `xargs` into its words: at the end, or for a placeholder."""
    if input_text is None and not any(sign and sign in word.text for word in words):
        return [*words, Word(UNKNOWN_INPUT, known=False)]
    if input_text is None:
        return [_forget_input(word, sign) for word in words]
    cut = r"[\n\0]+" if sign else r"[\s\0]+"
    items = [item.strip("'\"") for item in re.split(cut, input_text) if item]
    if not sign:
        return [*words, *map(Word, items)]
    return [
        Word(word.text.replace(sign, item)) if sign in word.text else word
        for word in words
        for item in (items if sign in word.text else [""])
    ]
