"""Tool calls in the words of a person: `Read src/cart.py` instead of a tool's name."""

from collections.abc import Mapping
from typing import Any, NamedTuple, cast

from ...i18n.catalogs import t
from ..sanitize import escape_hidden, sanitize_line
from ..tool_summary import MAIN_ARGUMENTS, VERBS, list_patched_files


class CallPhrase(NamedTuple):
    """A verb and what it is about."""

    verb: str
    """The key of the verb."""
    subject: str

    @property
    def done(self) -> str:
        """The verb of a call that has ended: `Read`, `Edited`, `Ran`."""
        return t(f"call.{self.verb}.done")

    @property
    def infinitive(self) -> str:
        """The verb of a call that runs, or did not: `Read`, `Edit`, `Run`."""
        return t(f"call.{self.verb}")


def describe_call(tool: str, args: Mapping[str, Any]) -> CallPhrase:
    """Return the verb and the subject of a call."""
    if tool.startswith("git_"):
        return CallPhrase("run", tool.replace("_", " "))
    subject = " ".join(_list_subjects(tool, args))
    subject = sanitize_line(subject if tool == "subagent" else escape_hidden(subject))
    if verb := VERBS.get(tool):
        return CallPhrase(verb, subject)
    if tool == "use_mcp_tool":  # the server's tool is the subject
        return CallPhrase("use", subject)
    return CallPhrase("use", sanitize_line(f"{tool} {subject}"))


def _list_subjects(tool: str, args: Mapping[str, Any]) -> list[str]:
    if tool == "subagent":
        if isinstance(args.get("tasks"), list):
            tasks: list[object] = args["tasks"]
            if len(tasks) > 1:
                return [t("call.agents", count=len(tasks))]
            return [", ".join(filter(None, map(_describe_task, tasks)))]
        return [str(args[name]) for name in ("agent_type", "resume", "task") if args.get(name)]
    if tool == "use_mcp_tool":
        return [str(args[name]) for name in ("server_name", "tool_name") if args.get(name)]
    if tool in ("grep", "glob"):
        return _describe_search(args)
    if tool == "list_files":
        return [str(args.get("path") or ".")]
    if files := list_patched_files(tool, args):
        return [", ".join(files)]
    texts = [value for value in args.values() if isinstance(value, str)]
    return [str(args[name]) for name in MAIN_ARGUMENTS if args.get(name)] or texts[:1]


def _describe_task(task: object) -> str:
    """Return which agent it is for, if the model has written so."""
    fields = cast("dict[str, object]", task if isinstance(task, dict) else {})
    return str(fields.get("agent_type") or fields.get("resume") or "")


def _describe_search(args: Mapping[str, Any]) -> list[str]:
    pattern = str(args.get("regex") or args.get("pattern") or "")
    folder = str(args.get("path") or "")
    return [pattern, *([t("call.in", folder=folder)] if folder not in ("", ".") else [])]


# How the answers of roles begin that the graph reads
MARKERS = {"architect": ("SMALL",), "tester": ("ACCEPTED", "REJECTED")}
# What stands around such a word, and what ends its mark in Markdown
_AROUND = "*#`:., \n"
_AFTER, _MARKS = ":., \n", "*`"


class AnswerMarker:
    """Turns the word with which a role's answer begins into one for a person, as it streams."""

    def __init__(self) -> None:
        self._markers: tuple[str, ...] = ()
        self._expected: tuple[str, ...] = ()
        self._begun = ""
        """The beginning of an answer, until it is known whether it has such a word."""
        self._is_label_last = False
        self._closing = ""
        """The marks that still close those before the word: the answer's own are kept."""

    def expect(self, role: str) -> None:
        """Look for the words with which this role answers the graph."""
        self._markers = MARKERS.get(role, ())
        self.expect_again()

    def translate(self, text: str) -> str:
        """Return what can be shown of the answer so far."""
        if self._is_label_last:
            text = self._strip_label_end(text)
            self._is_label_last = not text
            return t("labelled", label="", said=text) if text else ""
        if not self._expected:
            return text
        self._begun += text
        answer = self._begun.lstrip(_AROUND)
        if any(
            len(answer) <= len(marker) and marker.startswith(answer) for marker in self._expected
        ):
            return ""
        return self._replace(answer)

    def _replace(self, answer: str) -> str:
        marker = next((each for each in self._expected if answer.startswith(each)), "")
        is_word = bool(marker) and not answer[len(marker)].isalnum()
        beginning, self._begun, self._expected = self._begun, "", ()
        if not is_word:
            return beginning
        self._is_label_last = True
        before = beginning[: beginning.index(marker)]
        self._closing = "".join(mark for mark in reversed(before) if mark in _MARKS)
        return f"**{t(f'marker.{marker.lower()}')}**{self.translate(answer[len(marker) :])}"

    def _strip_label_end(self, text: str) -> str:
        while text and (text[0] in _AFTER or self._closing.startswith(text[0])):
            if text[0] not in _AFTER:
                self._closing = self._closing[1:]
            text = text[1:]
        return text

    def take_rest(self) -> str:
        """Return what is held back at the end of an answer; the next one may begin so again."""
        beginning, marker = self._begun, self._begun.strip(_AROUND)
        is_marker = marker in self._expected
        self.expect_again()
        return f"**{t(f'marker.{marker.lower()}')}**" if is_marker else beginning

    def expect_again(self) -> None:
        """Begin another answer of the same role."""
        self._expected, self._begun, self._is_label_last = self._markers, "", False
