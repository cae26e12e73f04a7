"""A long thread stays small; `bench.py` measures a longer one."""

from pathlib import Path

from contenders import make_project
from gauge import Gauge
from lengths import SIZE, make_thread, text_of
from provider import Provider


def test_the_database_of_a_long_thread_grows_with_its_messages_and_not_faster(
    provider: Provider, tmp_path: Path
) -> None:
    gauge, project = Gauge(provider, tmp_path), make_project(tmp_path)
    (project / "notes.txt").write_text(text_of(0))
    short, long = (
        make_thread(gauge, project, messages).stat().st_size / (messages * SIZE)
        for messages in (40, 160)
    )
    assert long < 10
    assert long < short
