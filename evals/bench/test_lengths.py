"""A long thread stays small; `bench.py` measures a longer one."""

from pathlib import Path

from contenders import make_project
from gauge import Gauge
from lengths import SIZE, make_thread, text_of
from provider import Provider

MESSAGES = 200


def test_long_thread_database_does_not_repeat_messages(provider: Provider, tmp_path: Path) -> None:
    gauge, project = Gauge(provider, tmp_path), make_project(tmp_path)
    (project / "notes.txt").write_text(text_of(0))
    database = make_thread(gauge, project, MESSAGES)
    assert database.stat().st_size < 10 * MESSAGES * SIZE
