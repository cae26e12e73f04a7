import json
import stat
from pathlib import Path

import pytest

from maxagent.config.errors import MaxAgentError
from maxagent.config.security.provenance import Provenance
from maxagent.tools.consent import rule_record
from maxagent.tools.consent.answer_rules import (
    format_thread_rule,
    load_answer_rules,
    parse_thread_rule,
)
from maxagent.tools.consent.rule_record import (
    CorruptRuleRecordError,
    locate_rule_record,
    read_project_rules,
    remove_project_rule,
    save_project_rule,
)

RULE = "run_command(npm run build:*)"
BUILD, OTHER = (Provenance("script build", name, "1" * 64) for name in ("package.json", "w.json"))


def test_rules_are_kept_by_project(tmp_path: Path) -> None:
    save_project_rule(tmp_path, "/a", RULE, [BUILD])
    save_project_rule(tmp_path, "/b", "edit(//b/x)", [])
    rules = read_project_rules(tmp_path)
    assert [rule.provenances for rule in rules["/a"]] == [(BUILD,)]
    assert [rule.rule for rule in rules["/b"]] == ["edit(//b/x)"]
    assert stat.S_IMODE(locate_rule_record(tmp_path).stat().st_mode) == 0o600
    assert [rule.text for rule in load_answer_rules(tmp_path, "/b", ["edit"])] == [
        "edit",
        "edit(//b/x)",
    ]


def test_second_answer_binds_rule_anew(tmp_path: Path) -> None:
    now = Provenance(BUILD.subject, BUILD.source, "2" * 64)
    for provenances in ([BUILD], [OTHER], [now]):
        save_project_rule(tmp_path, "/a", RULE, provenances)
    [rule] = read_project_rules(tmp_path)["/a"]
    assert rule.provenances == (now, OTHER)


def test_removed_rule_is_gone(tmp_path: Path) -> None:
    save_project_rule(tmp_path, "/a", RULE, [BUILD])
    assert not remove_project_rule(tmp_path, "/b", RULE)
    assert not remove_project_rule(tmp_path, "/a", "run_command(npm)")
    assert remove_project_rule(tmp_path, "/a", RULE)
    assert read_project_rules(tmp_path) == {}


ENTRY = {"rule": RULE, "since": "2026", "provenances": [["a", "b", "c"]]}


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "{",
        '{"/a": {}}',
        '{"/a": [1]}',
        '{"/a": [], "/a": []}',
        json.dumps({"/a": [{**ENTRY, "more": 1}]}),
        json.dumps({"/a": [{**ENTRY, "rule": 1}]}),
        json.dumps({"/a": [{**ENTRY, "provenances": [["a", "b"]]}]}),
        json.dumps({"/a": [{**ENTRY, "provenances": [["a", "b", 1]]}]}),
        json.dumps({"/a": [{"rule": RULE, "since": "2026"}]}),
    ],
)
def test_from_invalid_record_no_rule_holds(tmp_path: Path, content: str) -> None:
    file = locate_rule_record(tmp_path)
    file.parent.mkdir(parents=True)
    file.write_text(content)
    with pytest.raises(CorruptRuleRecordError, match="none holds"):
        read_project_rules(tmp_path)
    assert load_answer_rules(tmp_path, "/a", []) == []
    with pytest.raises(CorruptRuleRecordError):
        save_project_rule(tmp_path, "/a", RULE, [])
    assert file.read_text() == content


def test_unwritable_record_is_an_error(tmp_path: Path) -> None:
    locate_rule_record(tmp_path).mkdir(parents=True)
    with pytest.raises(MaxAgentError):
        save_project_rule(tmp_path, "/a", RULE, [])


@pytest.mark.parametrize(
    ("written", "consent"),
    [
        (RULE, ()),  # of an older thread
        (format_thread_rule(RULE, [BUILD]), (BUILD,)),
        (format_thread_rule(RULE, []), ()),
        (f"{RULE}\nnonsense", ()),
        (f"{RULE}\n[[1]]", ()),
        (f"{RULE}\n{{}}", ()),
    ],
)
def test_rule_of_thread_has_what_it_covers(written: str, consent: tuple) -> None:
    rule = parse_thread_rule(written)
    assert (rule.text, rule.consent) == (RULE, consent)


def test_remembered_record_is_read_again_when_it_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rule_record, "_SETTLED", 0)
    for number in range(5):
        save_project_rule(tmp_path, "/a", f"run_command(x{number})", ())
        for _ in range(2):
            read = read_project_rules(tmp_path)
            assert [item.rule for item in read.pop("/a")][-1] == f"run_command(x{number})"
    locate_rule_record(tmp_path).unlink()
    assert read_project_rules(tmp_path) == {}
