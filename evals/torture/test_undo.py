from pathlib import Path

import pytest
from recorded_project import Tree
from seeds import any_seed
from undo import torture
from undo_model import Moment, Witness

from maxagent.memory.undo.restore import Conflict, RestoreResult


@pytest.mark.parametrize("seed", [1, 2, any_seed(3)], ids=["1", "2", "random"])
def test_no_history_loses_anything_that_the_user_wrote(seed: int, tmp_path: Path) -> None:
    print(f"seed {seed}")
    faults, tally = torture(2, seed, tmp_path)
    assert (faults, tally["histories"]) == ([], 2), f"seed {seed}"


FIRST, ONE, TWO, SHUT = (
    {"a": (mode, line)}
    for mode, line in (
        ("100644", b"first\n"),
        ("100644", b"one\n"),
        ("100644", b"two\n"),
        ("100600", b"one\n"),
    )
)


@pytest.mark.parametrize(
    ("user", "agent", "lost"),
    [
        ([(FIRST, ONE)], SHUT, True),
        ([(FIRST, ONE), (ONE, TWO)], ONE, False),
        ([(FIRST, ONE), (ONE, TWO), (TWO, ONE)], SHUT, True),
    ],
)
def test_only_a_line_that_users_kept_is_lost(
    user: list[tuple[Tree, Tree]], agent: Tree, lost: bool
) -> None:
    witness, start = Witness(), Moment(0, 0, FIRST)
    for before, after in user:
        witness.see_user(before, after)
    witness.see_agent(user[-1][1], agent)
    done = RestoreResult(("a",), frozenset(), (), None)
    faults = witness.faults(lambda _: start, agent, TWO, done, force=False)
    assert any("has lost the user's b'one'" in fault for fault in faults) == lost


def test_a_folder_need_not_be_empty_of_a_conflict() -> None:
    empty, made, changed = (
        {"f/": ("040755", b"")},
        {"f/a": ("100644", b"agent\n")},
        {"f/a": ("100644", b"user\n")},
    )
    witness, start = Witness(), Moment(0, 0, empty)
    witness.see_agent(empty, made)
    witness.see_user(made, changed)
    done = RestoreResult((), frozenset(), (Conflict("f/a", "others changed it since"),), None)
    assert list(witness.faults(lambda _: start, changed, changed, done, force=False)) == []
