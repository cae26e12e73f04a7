from thread_history import Kept, write

from maxagent.sdk.threads.file_changes import read_file_changes


async def test_each_change_has_author_and_effect(kept: Kept) -> None:
    await kept.tool(write("a.txt", "one\n"), "a.txt")
    write("mine.txt", "mine\n")(kept.folder)
    await kept.shell(write("a.txt", "two\n"))
    await kept.undo()
    kept.turn = 2
    await kept.shell(write("b.txt", "b\n"))
    told = [
        (change.path, change.kind, change.by, change.step, change.in_effect)
        for change in read_file_changes(kept.row, kept.home)
    ]
    assert told == [
        ("a.txt", "added", "tool", None, False),
        ("mine.txt", "added", "others", None, True),
        ("a.txt", "modified", "shell", None, False),
        ("a.txt", "deleted", "undo", None, True),
        ("b.txt", "added", "shell", None, True),
    ]
