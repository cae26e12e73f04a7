import pytest

from maxagent.cli.prompts.external_editor import edit_text
from maxagent.config.errors import UsageError


def test_the_text_comes_back_as_it_was_left(monkeypatch):
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", "sed -i.old s/one/two/")
    assert edit_text("one 一\r\n", ".txt") == "two 一\r\n"


@pytest.mark.parametrize(
    ("editor", "text"),
    [
        ("no-such-editor", "cannot be started"),
        ("'", "cannot be started"),
        ("false", "ended with 1"),
        ("rm", "cannot exchange the text with the editor `rm`: No such file or directory"),
    ],
)
def test_editor_without_result_raises_usage_error(monkeypatch, editor, text):
    monkeypatch.setenv("VISUAL", editor)
    with pytest.raises(UsageError, match=text):
        edit_text("text", ".txt")
