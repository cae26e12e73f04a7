from dataclasses import replace

from thread_history import THREAD, Kept

from maxagent.memory.threads import thread_id


def fork(kept: Kept, parent: str, step: int, title: str) -> str:
    made = thread_id.create_thread_id()
    row = replace(kept.row, thread_id=made, parent=parent, parent_step=step, title=title)
    kept.index.fork(row, "", 0)
    return made


def test_forks_stand_below_their_parents(kept: Kept) -> None:
    first = fork(kept, THREAD, 2, "First")
    second = fork(kept, THREAD, 3, "Second")
    below = fork(kept, first, 0, "Below")
    orphan = fork(kept, thread_id.create_thread_id(), 1, "Orphan")
    lines = kept.mcode("threads", "tree").stdout.splitlines()
    roots = {line[:8] for line in lines if line[0] not in "├└│ "}
    assert roots == {THREAD[:8], orphan[:8]}
    own = [line for line in lines if orphan[:8] not in line]
    assert own[0] == "aaaaaaaa  done  Write"
    assert f"├─ {first[:8]}  at step 2  done  First" in own or (
        f"└─ {first[:8]}  at step 2  done  First" in own
    )
    assert any(line.endswith(f"─ {below[:8]}  at step 0  done  Below") for line in own)
    assert any(second[:8] in line for line in own)
    assert kept.mcode("threads", "tree", below[:8]).stdout.splitlines() == own
    assert kept.mcode("threads", "tree", orphan).stdout.splitlines() == [
        f"{orphan[:8]}  at step 1  done  Orphan"
    ]
    assert kept.mcode("threads", "tree", "none").stderr.startswith("error: no thread `none`")


def test_without_threads_that_is_reported(kept: Kept) -> None:
    kept.index.delete(THREAD)
    assert "No threads yet" in kept.mcode("threads", "tree").stderr
