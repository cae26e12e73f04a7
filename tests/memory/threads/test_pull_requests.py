from pathlib import Path

from maxagent.memory.threads.pull_requests import PullRequestRecord, PullRequestRecords


def test_record_is_kept_replaced_and_forgotten(tmp_path: Path) -> None:
    records = PullRequestRecords(tmp_path / "threads.db")
    assert records.find("t") is None
    record = PullRequestRecord("t", "asked", {"title": "Say new", "files": [{"path": "a.txt"}]})
    records.save(record)
    assert PullRequestRecords(tmp_path / "threads.db").find("t") == record
    done = record.advance("done", commit="c", entry=3, number=7, url="https://x/7")
    records.save(done)
    assert records.find("t") == done
    records.delete("t")
    assert records.find("t") is None
