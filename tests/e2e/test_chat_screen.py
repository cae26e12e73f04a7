"""The conventions of a conversation: typed on real keys, read from a real terminal's screen.

In English with colours and mostly at 80 columns, in Chinese without colours and mostly at 40.
"""

import re
import threading
from collections.abc import Iterator

import pytest
from chat_window import ChatWindow, in_git, squeezed
from provider import Provider

from maxagent import __version__
from maxagent.cli.rendering.line_breaks import fill_rows
from maxagent.cli.repl.prompt.status_bar import SEPARATOR
from maxagent.memory.cards.listing import read_cards
from maxagent.memory.cards.namespaces import identify_project
from maxagent.nodes.recovery.partial_answer import INTERRUPTED

PART = """## Part {at}

Words **of** part {at}, 中文也有，长得要在四十列的终端里换行才行。

- item {at}a
- item {at}b with `code` and words enough to be wrapped at forty columns

```python
def f{at}():
    return '''{at}
    中文'''
```
"""
LOOKS = {"text": "I look.", "tool_calls": [{"name": "list_files", "args": {}}]}
COLOUR = re.compile(r"\x1b\[(?:\d+;)*(?:3[0-8]|4[0-8]|9\d|10\d)[;m]")
PAGER = """#!/bin/sh
echo "$(grep -c '^ *100[0-9]*$' "$1") numbers paged"
read key
"""
EDITOR = """#!/bin/sh
trap '' INT
if grep -q Ctrl-C "$1"; then kill -INT 0; fi  # what the terminal does at that key
printf ' and edited' >> "$1"
"""


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(("en", 80), id="English"),
        pytest.param(("zh", 40), id="Chinese"),
    ],
)
def opened(request, tmp_path_factory) -> Iterator[ChatWindow]:
    """One window for all tests of a language; starting it is what takes time."""
    language, columns = request.param
    folder = tmp_path_factory.mktemp(f"chat-{language}")
    editor = folder / "editor.sh"
    editor.write_text(EDITOR)
    editor.chmod(0o755)
    pager = folder / "pager.sh"
    pager.write_text(PAGER)
    pager.chmod(0o755)
    with Provider() as provider:
        colours = {"NO_COLOR": "1"} if language == "zh" else {}
        programs = {"EDITOR": str(editor), "PAGER": str(pager)}
        window = ChatWindow(folder, provider, language, **programs, **colours)
        (window.project / "greeting.txt").write_text("hello\n")
        (window.project / "notes").mkdir()
        (window.project / "notes" / "greenhouse.md").write_text("x\n")
        in_git(window.project)
        with window.open(columns=columns):
            yield window


@pytest.fixture
def window(opened: ChatWindow) -> ChatWindow:
    """The window with nothing typed and nothing going on."""
    opened.rest()
    opened.terminal.resize(opened.columns, 24)
    # no Ctrl-C: two of them, from here and from a test, leave
    opened.press("ctrl-e", "ctrl-u").holds("")
    return opened


def test_enter_sends_and_the_answer_is_readable_markdown(window):
    window.answers({"text": "# Title\n\nAn **answer** with `code`.\n", "portion": 3})
    screen = window.say("hello", until="An answer with code.")
    assert "**" not in screen and "▌ hello" in screen
    assert window.told() == "hello"


def test_thinking_folds_and_ctrl_o_opens_it(window):
    thought = "Greetings call for greetings, 问候要回以问候。"
    window.answers({"thinking": thought, "text": "Hello **yourself**.", "portion": 5})
    folded = f"{window.words('thinking.folded', seconds=1)} · {window.words('fold.key')}"
    screen = window.say("hello again", until="Hello yourself.")
    assert f"● {folded}" in screen and "┆ Greetings" not in screen
    window.press("ctrl-o").see(window.words("thinking.label") + "┆ Greetings")
    assert window.rest().index("┆ Greetings") > window.rest().index("Hello yourself.")
    window.press("ctrl-o").see("0 numbers paged")  # nothing folded is left
    window.press("enter").holds("")


def test_ctrl_o_twice_pages_every_byte(window):
    call = {"name": "run_command", "args": {"command": "seq 1000001 1009000"}}
    window.answers({"tool_calls": [call]}, {"text": "Counted."})
    window.say("count", until="Counted.")
    assert window.count("1005000") == 0
    window.press("ctrl-o", "ctrl-o").see("9000 numbers paged")
    window.press("enter").holds("")


def test_alt_enter_ctrl_j_and_backslash_break_line(window):
    window.type("one").press("alt-enter").type("two").press("ctrl-j").type("three\\").press("enter")
    window.type("four")
    window.holds("one\ntwo\nthree\nfour")
    window.answers({"text": "Four lines."})
    window.press("enter").see("Four lines.")
    assert window.told() == "one\ntwo\nthree\nfour"


def test_up_recalls_history_and_ctrl_r_searches_it(window):
    window.answers({"text": "First."}, {"text": "Second."})
    window.say("alpha 中文", until="First.")
    window.say("beta", until="Second.")
    window.press("up").holds("beta")
    window.press("up").holds("alpha 中文")
    window.press("ctrl-c").holds("")
    window.press("ctrl-r").type("alph")
    window.see("alpha 中文")
    window.press("enter").holds("alpha 中文")


def test_chinese_is_edited_by_whole_characters(window):
    window.type("你好世界").press("left", "left", "backspace").type("们")
    window.holds("你们世界")
    cursor = window.terminal.glass.cursor
    window.terminal.wait_for(lambda _: cursor.x == 2 + 4 and not cursor.hidden)


def test_the_menu_of_commands_opens_with_their_descriptions(window):
    window.type("/di")
    window.see("/diff", window.words("slash.diff"))
    window.press("tab")
    window.terminal.wait_for(lambda _: window.line.startswith("/diff"))
    window.press("ctrl-c").holds("")


def test_help_lists_commands_and_typo_suggests_similar(window):
    window.terminal.resize(window.columns, 130)
    window.type("/help").press("enter")
    names = "help model think effort mode plan build clear compact status cost context diff undo"
    names += " rewind sessions resume fork rename init trust config permissions mcp skills"
    names += " agents exit"
    window.see(*(f"/{name}" for name in names.split()))
    window.type("/stauts").press("enter")
    window.see(window.words("slash.unknown", name="stauts"), "/status")


def test_a_file_is_mentioned_after_an_at_sign(window):
    window.type("look at @grnhs")
    window.see("notes/greenhouse.md")
    window.press("tab")
    window.terminal.wait_for(lambda _: "@notes/greenhouse.md" in window.line)


def test_a_long_paste_is_folded_and_sent_whole(window):
    text = "\n".join(f"pasted {number}" for number in range(6))
    window.terminal.paste(text)
    window.see("+6 lines]")
    window.answers({"text": "Six of them."})
    window.press("enter").see("Six of them.")
    assert window.told() == text
    window.rest()
    window.press("up").terminal.wait_for(lambda _: window.line.endswith("+6 lines]"))
    window.answers({"text": "Once more six."})
    window.press("enter").see("Once more six.")
    assert window.told() == text


def test_the_editor_opens_with_what_is_typed(window):
    window.type("draft").press("ctrl-g")
    window.holds("draft and edited")


def test_ctrl_c_in_editor_does_not_end_conversation(window):
    window.type("Ctrl-C").press("ctrl-g")
    window.holds("Ctrl-C and edited")


def test_shell_command_runs_and_joins_next_message(window):
    window.type("!echo from-the-shell").press("enter")
    window.terminal.wait_for(lambda _: window.count("from-the-shell") == 2)
    window.rest()
    window.answers({"text": "I saw it."})
    window.say("did you see?", until="I saw it.")
    assert "from-the-shell" in window.told(2) and window.told() == "did you see?"


def test_a_note_is_kept(window):
    window.type("# tabs, not spaces").press("enter")
    window.see(window.words("repl.remembered", id="|").partition("|")[0])
    (card,) = read_cards(window.program.home, identify_project(window.program.project))
    assert (card.content, card.state) == ("tabs, not spaces", "active")


def test_shift_tab_goes_through_modes_in_status_line(window):
    ask, edits, plan = (window.words(f"status.{key}") for key in ("mode.ask", "mode.edits", "plan"))
    window.see_status(ask, *(["served", "trunk"] if window.columns == 80 else []))
    window.press("shift-tab").see_status(edits)
    window.press("shift-tab").see_status(plan)
    window.press("shift-tab").see_status(ask)


def test_line_typed_during_turn_waits_until_esc_returns(window):
    window.answers({"text": "kept before the silence\n\n" + "x " * 50, "hang_after": 6})
    window.type("go").press("enter").see("kept before the silence")
    window.type("the next").press("enter").see(window.words("repl.waiting"), "the next")
    window.press("esc").see(window.words("repl.interrupted"))
    assert window.count("kept before the silence") == 1
    window.holds("the next")
    window.answers({"text": "Gone on."})
    window.press("enter").see("Gone on.")


def test_waiting_line_is_sent_when_turn_ends(window):
    window.answers({"text": "Slow.", "wait": 0.5}, {"text": "Then this."})
    window.send("first").send("second")
    window.see("Slow.", "Then this.")
    assert window.told() == "second"


def test_line_typed_during_turn_reaches_model_between_calls(window):
    answers, go_on = iter([LOOKS, LOOKS, {"text": "With tabs."}]), threading.Semaphore(0)
    window.provider.script(lambda _: go_on.acquire(timeout=60) and next(answers))
    window.send("indent").send("use tabs @greeting.txt").send("not this").see(
        window.words("repl.waiting"), "not this"
    )
    window.press("up").see("› not this")
    window.press("ctrl-c")
    waiting = window.count(window.words("repl.waiting"))
    go_on.release()
    window.terminal.wait_for(lambda _: window.count(window.words("repl.waiting")) < waiting)
    window.see("▌ use tabs", "@greeting.txt")
    go_on.release(2)
    window.see("With tabs.")
    sent = window.provider.requests[-2].body["messages"]
    assert "hello" in sent[-2]["content"] and sent[-1]["content"] == "use tabs @greeting.txt"
    assert window.count("With tabs.") == 1


def runs(command: str):
    return {"tool_calls": [{"name": "run_command", "args": {"command": command}}]}


def test_esc_at_a_question_gives_back_what_waits(window):
    answers = iter([runs("touch made"), {"text": "Sent, though it was not meant."}])
    seen = threading.Event()
    window.provider.script(lambda _: seen.wait(60) and next(answers))
    window.send("run it").send("the next")
    window.see(window.words("repl.waiting"), "the next")
    seen.set()
    window.asked("touch made")
    window.press("esc").holds("the next")
    assert window.told() == "run it"
    window.press("ctrl-c").holds("")


def test_stopped_command_is_not_shown_as_running(window):
    window.answers(runs("echo go$((6*7)); sleep 61"))
    window.type("run it").press("enter")
    window.asked("echo go")
    running = f"◦ {window.words('call.run')} echo"
    window.type("y").see("go42", running)
    window.press("esc").see(window.words("repl.interrupted"))
    screen = window.rest()
    assert running not in screen and "go42" in screen.rpartition(window.words("call.stopped"))[2]


def test_plan_edit_is_kept_after_esc(window):
    window.type("/clear").press("enter").see(window.words("slash.clear.now"))
    window.press("shift-tab", "shift-tab").answers({"text": "Thought."})
    window.say("plan it", until="Thought.")
    [name] = {*re.findall(r"\.llc/plans/[\w-]+\.md", str(window.provider.requests[-1].body))}
    plan = window.project / name
    plan.parent.mkdir(parents=True)
    plan.write_text("1. all\n")
    window.answers({"tool_calls": [{"name": "plan_exit", "args": {}}]})
    window.type("show it").press("enter")
    window.asked("1. all")
    window.type("e")
    window.asked("1. all and edited")
    window.press("esc").holds("")
    assert plan.read_text() == "1. all\n and edited\n"
    window.press("shift-tab").see_status(window.words("status.mode.ask"))


def test_ctrl_c_clears_line_and_explains_second_press(window):
    window.type("never sent").press("ctrl-c").holds("")
    window.press("ctrl-c").see(window.words("repl.again"))


def edit(new: str):
    args = {"file_path": "greeting.txt", "old_string": "hello", "new_string": new}
    return [
        {"tool_calls": [{"name": "read_file", "args": {"path": "greeting.txt"}, "id": f"r{new}"}]},
        {"tool_calls": [{"name": "edit", "args": args, "id": f"e{new}"}]},
    ]


def test_edit_question_shows_diff_rings_bell_takes_reason(window):
    bells = window.terminal.glass.bells
    window.answers(*edit("refused"), {"text": "Not done then."})
    window.type("change it").press("enter")
    window.asked("− hello", "+ refused")
    window.terminal.wait_for(lambda _: window.terminal.glass.bells > bells)
    window.type("too short\n").see("Not done then.")
    assert "too short" in window.told()
    assert (window.project / "greeting.txt").read_text() == "hello\n"


def test_an_edit_is_made_undone_and_brought_back(window):
    greeting = window.project / "greeting.txt"
    window.answers(*edit("hello 世界"), {"text": "Done it."})
    window.type("change it").press("enter")
    window.asked("+ hello 世界")
    window.type("y").see("Done it.")
    window.rest()
    assert greeting.read_text() == "hello 世界\n"
    question = window.words("restore.ask")
    for command, content in (("/undo", "hello\n"), ("/redo", "hello 世界\n"), ("/undo", "hello\n")):
        window.type(command).press("enter")
        window.confirm(question).rest()
        assert greeting.read_text() == content


def test_a_yes_for_always_is_not_asked_again(window):
    window.answers(*edit("once"), {"text": "Allowed."})
    window.type("change it").press("enter")
    window.asked("+ once")
    window.type("m").asked("+ once", window.words("key.call.edit.written"))
    window.type("a").asked(window.words("choice.hint.enter", leave=""))
    window.press("enter").see("Allowed.")
    window.rest()
    assert (
        f"edit(/{window.program.project.resolve()}/greeting.txt)"
        in (window.program.home / "data/rules.json").read_text()
    )
    asked = window.count(window.words("ask.approve"))
    window.answers(*edit("never"), {"text": "Not asked, and nothing to change."})
    window.say("again", until="Not asked, and nothing to change.")
    assert window.count(window.words("ask.approve")) == asked


def test_esc_twice_offers_messages_to_rewind_to(window):
    window.press("esc", "esc")
    window.see(window.words("back.ask"))
    window.press("ctrl-d").see(window.words("repl.unanswered"))


@pytest.mark.parametrize("columns", [80, 40])
def test_long_streamed_answer_appears_once_in_scrollback(window, columns):
    window.terminal.resize(columns, 24)
    window.type("/clear").press("enter").see(window.words("slash.clear.now"))
    parts = [f"{columns}_{number}" for number in range(25)]
    text, wraps = "\n".join(PART.format(at=at) for at in parts), window.terminal.glass.wraps
    window.answers({"text": text, "portion": 3})
    window.type("the long one").press("enter").see(f"item {parts[-1]}b")
    assert text.count("\n") > 300 and window.terminal.glass.wraps == wraps
    window.rest()
    rows = window.terminal.scrollback().split("\n")
    for at in parts:
        begin = "◆ " if at == parts[0] else "  "
        shown = (f"{begin}Part {at}", f"  def f{at}():", f"  • item {at}a")
        assert [rows.count(row) for row in shown] == [1, 1, 1]


def test_another_conversation_is_picked_by_a_few_letters(window):
    window.answers({"text": "It crosses."}, {"text": "It smiles."}, {"text": "It crosses again."})
    for message, answer in (("zebra crossing", "It crosses."), ("quokka", "It smiles.")):
        window.send("/clear").rest()
        window.say(message, until=answer)
    window.send("/clear").rest()
    seen = window.terminal.screen().count("quokka")
    window.type("/resume").press("enter").see(window.words("picker.keys"))
    window.terminal.wait_for(lambda screen: screen.count("quokka") > seen)
    window.type("zbra").terminal.wait_for(
        lambda screen: "zbra" in screen and "quokka" not in screen.rpartition("zbra")[2]
    )
    window.press("enter").rest()
    window.say("and on", until="It crosses again.")
    assert "zebra crossing" in str(window.provider.requests[-1].body["messages"])


def test_window_has_title_greeting_and_only_wanted_colours(window):
    assert window.terminal.glass.title
    greeting, room = window.words("repl.greeting"), window.columns - 2
    rows = fill_rows(greeting.split(SEPARATOR), SEPARATOR, room)
    shown = window.terminal.scrollback()
    assert f"mcode {__version__}" in shown and f"\n  {rows[0]}\n" in shown
    assert "trunk" in squeezed(shown).partition(squeezed(rows[0]))[0]
    has_colours = bool(COLOUR.search(window.terminal.shown))
    assert has_colours is (window.language == "en")


def test_interruption_by_esc_is_shown_once_after_kill(window):
    stopped = window.words("repl.interrupted")
    before = window.count(stopped)
    window.answers({"text": "said before esc\n\n" + "x " * 50, "hang_after": 6})
    window.type("go").press("enter").see("said before esc")
    window.press("esc").terminal.wait_for(lambda _: window.count(stopped) == before + 1)
    window.terminal.__exit__()
    window.open("--continue", columns=window.columns)
    window.see("said before esc", window.words("show.interrupted"))
    window.see(window.words("repl.placeholder"))
    window.answers({"text": "Gone on."}, {"text": "And further."})
    for words, answer in (("on", "Gone on."), ("further", "And further.")):
        window.say(words, until=answer)
        asked = window.provider.requests[-1].body["messages"]
        [at] = [at for at, one in enumerate(asked) if "said before esc" in str(one["content"])]
        told = [one["content"] for one in asked[at + 1 : at + 3]]
        assert (asked[at]["role"], told) == ("assistant", [INTERRUPTED, "on"])
        assert window.told() == words


def test_terminal_is_told_what_the_program_does(window: ChatWindow) -> None:
    call = {"name": "run_command", "args": {"command": "touch made"}}
    window.answers({"tool_calls": [call]}, {"text": "Made."})
    window.type("make it").press("enter").asked("touch made")
    states = re.compile(r"\x1b]7501;state=(\w+)[^\x1b]*\x1b\\")
    assert states.findall(window.terminal.shown)[-2:] == ["working", "blocked"]
    window.type("1").see("Made.")
    window.rest()
    assert states.findall(window.terminal.shown)[-2:] == ["working", "idle"]


def test_ctrl_d_exits_and_explains_how_to_resume(window):
    window.press("ctrl-d")
    assert window.terminal.end() == 0
    assert "]7501;state=clear" in window.terminal.shown
    assert window.count("mcode chat --resume") == 1
