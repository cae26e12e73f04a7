"""The keys of vi at the prompt, in a real terminal; our own keys work in both of its modes."""

from collections.abc import Iterator

import pytest
from chat_window import ChatWindow
from provider import Provider

SLOW = {"text": "kept before the silence\n\n" + "x " * 50, "hang_after": 6}


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChatWindow]:
    """One window for all tests; `ui.keys` is in the user's file."""
    folder = tmp_path_factory.mktemp("vi")
    editor = folder / "editor.sh"
    editor.write_text("#!/bin/sh\nprintf ' and edited' >> \"$1\"\n")
    editor.chmod(0o755)
    with Provider() as provider:
        window = ChatWindow(folder, provider, "en", EDITOR=str(editor))
        window.program.home.mkdir()
        (window.program.home / "config.yaml").write_text("ui:\n  keys: vi\n")
        with window.open():
            yield window


@pytest.fixture
def window(opened: ChatWindow) -> ChatWindow:
    """The window with an empty line in the insert mode."""
    opened.rest()
    opened.type("ix").press("ctrl-c").holds("")
    opened.see_status("insert · ")
    return opened


def test_line_is_edited_as_in_vi(window: ChatWindow) -> None:
    window.type("one two three").press("esc").see_status("normal · ")
    window.type("0dw").holds("two three")
    window.type("A!").see_status("insert · ")
    window.press("esc").type("bbce2").holds("2 three!")
    window.press("esc").see_status("normal · ")
    window.answers({"text": "Sent from the normal mode."})
    window.press("enter").see("Sent from the normal mode.")
    window.see_status("insert · ")
    assert window.told() == "2 three!"


@pytest.mark.parametrize("mode", ["insert", "normal"])
def test_own_keys_work_in_both_modes(window: ChatWindow, mode: str) -> None:
    window.send("/clear").type("draft")
    if mode == "normal":
        window.press("esc").see_status("normal · ")
    window.press("ctrl-s").see("aside: draft")
    window.press("ctrl-s").holds("draft")
    window.press("ctrl-g").holds("draft and edited")
    window.press("ctrl-t").see(window.words("slash.todos.none"))
    window.press("ctrl-o").see(window.words("fold.none"))
    for name in ("edits", "plan", "ask"):
        window.press("shift-tab").see_status(mode, name)
    window.holds("draft and edited")
    window.press("ctrl-c").holds("")


def test_esc_interrupts_only_with_empty_line(window: ChatWindow) -> None:
    window.answers(SLOW)
    before = window.count(window.words("repl.interrupted"))
    window.type("go").press("enter").see("kept before the silence")
    window.type("typed meanwhile").press("esc").see_status("normal · ")
    window.press("esc").type("0x").terminal.wait_for(lambda _: window.line == "yped meanwhile")
    assert window.count(window.words("repl.interrupted")) == before
    window.type("dd").terminal.wait_for(lambda _: window.line == "")
    window.press("esc")
    window.terminal.wait_for(lambda _: window.count(window.words("repl.interrupted")) == before + 1)


def test_esc_twice_on_empty_line_rewinds(window: ChatWindow) -> None:
    window.answers({"text": "An answer."})
    window.say("a question", until="An answer.")
    window.press("esc").see_status("normal · ")
    window.press("esc").see(window.words("back.ask"))
    window.press("ctrl-d").see(window.words("repl.unanswered"))
    window.see_status("insert · ")


def test_esc_closes_menu_and_leaves_insert_mode(window: ChatWindow) -> None:
    window.type("/them").see(window.words("slash.theme"))
    window.press("esc").see_status("normal · ")
    window.holds("/them")
    assert window.words("slash.theme") not in window.terminal.screen()
    window.press("ctrl-c").holds("")


def test_vim_switches_and_is_kept(window: ChatWindow) -> None:
    config = window.program.home / "config.yaml"
    window.say("/vim", until=window.words("slash.vim.emacs"))
    assert config.read_text() == "ui:\n  keys: emacs\n"
    window.terminal.wait_for(lambda screen: "insert · " not in screen.rpartition("\n")[2])
    window.type("one two").press("ctrl-a").type("x").holds("xone two")
    window.press("ctrl-c").holds("")
    window.say("/vim", until=window.words("slash.vim.vi"))
    window.see_status("insert · ")
    assert config.read_text() == "ui:\n  keys: vi\n"
