import sys

from terminal import Terminal
from thread_history import Kept, write


async def test_the_diff_is_on_stdout_as_it_is(kept: Kept) -> None:
    write("a.txt", "one\n")(kept.folder)
    await kept.tool(write("a.txt", "two" * 99 + "\n"), "a.txt")
    said = kept.mcode("diff")
    assert (said.returncode, said.stderr) == (0, "")
    assert said.stdout.endswith("@@ -1 +1 @@\n-one\n+" + "two" * 99 + "\n")


def test_no_difference_is_reported(kept: Kept) -> None:
    said = kept.mcode("diff", "aaaa")
    assert (said.returncode, said.stdout) == (0, "")
    assert said.stderr == "Thread aaaaaaaa has no changes to show\n"


async def test_at_a_terminal_it_is_coloured_and_whole(kept: Kept) -> None:
    lines = "".join(f"{number}\n" for number in range(1000))
    await kept.tool(write("a.txt", lines), "a.txt")
    argv = [sys.executable, "-m", "maxagent", "diff"]
    environ = {"MAXAGENT_HOME": str(kept.home), "LANG": "C.UTF-8", "PATH": "/usr/bin:/bin"}
    with Terminal(argv, kept.folder, environ) as terminal:
        assert terminal.end() == 0
    assert "\x1b[32m1000 + \x1b[0m\x1b[32m999\x1b[0m" in terminal.shown


def test_steps_the_wrong_way_round_are_refused(kept: Kept) -> None:
    said = kept.mcode("diff", "--from", "3", "--to", "1")
    assert (said.returncode, said.stdout) == (2, "")
    assert "`--to` is before `--from`" in said.stderr
