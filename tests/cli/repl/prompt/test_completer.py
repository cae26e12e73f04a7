import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document

from maxagent.cli.repl.prompt.completer import LineCompleter, is_completed_while_typing
from maxagent.cli.repl.prompt.file_mentions import FileList

COMMANDS = {"model": "Chooses.", "mode": "Asks.", "undo": "Takes\nback.", "git:review": "Reviews."}
AGENTS = {"explore": "Only reads.", "app": "One's own."}
FILES = FileList(["src/", "src/app.py", "my file.txt"])


def offered(line: str) -> list[str]:
    completer = LineCompleter(lambda: COMMANDS, lambda: AGENTS, lambda: FILES)
    completions = completer.get_completions(Document(line), CompleteEvent())
    return [line[: len(line) + item.start_position] + item.text for item in completions]


@pytest.mark.parametrize(
    "line, lines",
    [
        ("/", ["/model", "/mode", "/undo", "/git:review"]),
        ("/mo", ["/model", "/mode"]),
        ("/mode", ["/mode", "/model"]),
        ("/MODE", ["/mode", "/model"]),
        ("/gr", ["/git:review"]),
        ("/odo", []),
        ("/mdl", ["/model"]),
        ("/rev", ["/git:review"]),
        ("/mode ", []),
        ("see /mo", []),
        ("@", ["@explore ", "@app ", "@src/", "@src/app.py ", '@"my file.txt" ']),
        ("@expl", ["@explore "]),
        ("see @expl", []),
        ("see @src", ["see @src/", "see @src/app.py "]),
        ('see @"my', ['see @"my file.txt" ']),
        ("", []),
    ],
)
def test_what_is_offered(line: str, lines: list[str]) -> None:
    assert offered(line) == lines
    assert is_completed_while_typing(line) >= bool(lines)


def test_description_of_completion_is_one_safe_line() -> None:
    completer = LineCompleter(lambda: {"x": "a\x1b[2J\nb"}, dict, lambda: FILES)
    [item] = completer.get_completions(Document("/x"), CompleteEvent())
    assert item.display_meta_text == "a\\x1b[2J b"


def test_a_cut_list_of_files_says_so() -> None:
    cut = FILES._replace(is_cut=True)
    completer = LineCompleter(dict, dict, lambda: cut)
    *_, last = completer.get_completions(Document("@src"), CompleteEvent())
    assert last.text == "@src" and "200,000" in last.display_meta_text
