import os

from maxagent.cli.repl.prompt.typeahead import read_typeahead


def test_buffered_lines_are_read_without_waiting() -> None:
    far, keys = os.openpty()
    assert read_typeahead(keys) == []
    os.write(far, "repair it, 你好\rand then\rbegun".encode())
    assert read_typeahead(keys) == ["repair it, 你好", "and then"]
    for end in (far, keys):
        os.close(end)


def test_what_is_no_terminal_is_left_alone() -> None:
    near, far = os.pipe()
    os.write(far, b"line\n")
    assert read_typeahead(near) == [] and os.read(near, 9) == b"line\n"
    for end in (near, far):
        os.close(end)
