from maxagent.cli.repl.prompt.stash import Stash


def test_last_line_comes_back_first() -> None:
    stash = Stash()
    assert stash.take() == stash.top == ""
    stash.put("one")
    stash.put("two\nlines")
    assert stash.top == stash.take() == "two\nlines"
    assert stash.take() == "one" and stash.take() == ""
