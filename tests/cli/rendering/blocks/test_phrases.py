import pytest

from maxagent.cli.i18n.catalogs import use_language
from maxagent.cli.rendering.blocks.phrases import AnswerMarker, describe_call
from maxagent.cli.rendering.tool_summary import VERBS
from maxagent.tools.tool_table import TOOLS


@pytest.mark.parametrize(
    ("tool", "args", "phrase"),
    [
        ("read_file", {"path": "src/a.py", "start_line": 3}, "Read src/a.py"),
        ("edit", {"file_path": "a.py", "old_string": "x", "new_string": "y"}, "Edited a.py"),
        ("write_file", {"file_path": "a.py", "content": "x"}, "Wrote a.py"),
        ("run_command", {"command": "make\n  all"}, "Ran make all"),
        ("grep", {"regex": "total", "path": "src"}, "Searched total in src"),
        ("glob", {"pattern": "**/*.py"}, "Searched **/*.py"),
        ("git_diff", {}, "Ran git diff"),
        ("subagent", {"agent_type": "explore", "task": "look"}, "Asked explore look"),
        ("subagent", {"tasks": [{"agent_type": "explore"}, {"resume": "a"}]}, "Asked 2 agents"),
        ("subagent", {"tasks": ["look"]}, "Asked "),
        ("subagent", {"tasks": "look"}, "Asked "),
        ("webfetch", {"url": "https://x.example"}, "Fetched https://x.example"),
        ("use_mcp_tool", {"server_name": "s", "tool_name": "t"}, "Used s t"),
        ("mcp_time_now", {"zone": "UTC"}, "Used mcp_time_now UTC"),
        ("run_command", {"command": "a\x1b[2Jb"}, "Ran a\\x1b[2Jb"),
    ],
)
def test_calls_are_shown_in_human_words(tool: str, args: dict[str, object], phrase: str) -> None:
    use_language("en")
    described = describe_call(tool, args)
    assert f"{described.done} {described.subject}" == phrase


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_verb_has_its_words(language: str) -> None:
    use_language(language)
    for tool in [*TOOLS, *VERBS, "mcp_x"]:
        phrase = describe_call(tool, {})
        assert "call." not in phrase.done + phrase.infinitive
    use_language("")


@pytest.mark.parametrize(
    ("role", "portions", "text"),
    [
        ("architect", ["SM", "ALL: take", " it."], "**Small change**: take it."),
        ("architect", ["SMALL", "\n\n", "take it."], "**Small change**: take it."),
        ("architect", ["**SMALL**"], "**Small change**"),
        (
            "architect",
            ["SMALL\n`LFU.pop` in `src/__init__.py`"],
            "**Small change**: `LFU.pop` in `src/__init__.py`",
        ),
        ("architect", ["`SMALL`", "\n", "`x` is wrong."], "**Small change**: `x` is wrong."),
        ("architect", ["**SMALL:", "** ", "**Take** it."], "**Small change**: **Take** it."),
        ("architect", ["**SMALL**", "\n**Take** it."], "**Small change**: **Take** it."),
        ("architect", ["# SMALL\n", "# Plan"], "**Small change**: # Plan"),
        ("architect", ["SMALL. *Take* it."], "**Small change**: *Take* it."),
        ("architect", ["SMALLER steps."], "SMALLER steps."),
        ("architect", ["Small steps."], "Small steps."),
        ("architect", ["S"], "S"),
        ("tester", ["ACCEPTED\n", "It rounds."], "**Accepted**: It rounds."),
        ("tester", ["REJECTED", ": it cuts."], "**Rejected**: it cuts."),
        ("tester", ["It is ACCEPTED."], "It is ACCEPTED."),
        ("coder", ["ACCEPTED: x"], "ACCEPTED: x"),
    ],
)
def test_marker_of_a_role_becomes_a_word(role: str, portions: list[str], text: str) -> None:
    use_language("en")
    marker = AnswerMarker()
    marker.expect(role)
    for _ in range(2):  # each answer of the role can begin so
        assert "".join([*map(marker.translate, portions), marker.take_rest()]) == text
    use_language("")
