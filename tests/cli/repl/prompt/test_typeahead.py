import os

from maxagent.cli.repl.prompt.typeahead import typed_before


def test_lines_that_a_terminal_holds_are_read_and_nothing_is_waited_for() -> None:
    far, keys = os.openpty()
    assert typed_before(keys) == []
    os.write(far, "repair it, 你好\rand then\rbegun".encode())
    assert typed_before(keys) == ["repair it, 你好", "and then"]
    for end in (far, keys):
        os.close(end)


def test_what_is_no_terminal_is_left_alone() -> None:
    near, far = os.pipe()
    os.write(far, b"line\n")
    assert typed_before(near) == [] and os.read(near, 9) == b"line\n"
    for end in (near, far):
        os.close(end)
