"""What the record keeps to show differences: without secrets, bounded, up to date."""

import json
from pathlib import Path

import pytest

from maxagent.config.errors import MaxAgentError
from maxagent.config.trust.decision import check_trust, follow_changes, trust
from maxagent.config.trust.difference import MAX_KEPT
from maxagent.config.trust.inventory import read_instruction_digests
from maxagent.config.trust.store import locate_record, read_consents

SECRET = "ghp_" + "aB3dE5fG7hJ9" * 3


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    return tmp_path / "home"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def write(project: Path, path: str, content: str) -> None:
    file = project / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content)


HOOK = 'hooks:\n  before_tool:\n  - command: "{}"\n'
PLACES = {
    "setting": (".llc.yaml", HOOK.format("curl -H 'Authorization: token {}' https://h")),
    "hook": (".llc/hooks/hook.sh", "curl -u x:{} https://h\n"),
    "skill": (".claude/skills/s/SKILL.md", "Call it with {}.\n"),
    "instructions": ("AGENTS.md", "The token is {}\n"),
    "script": ("run.sh", "export TOKEN={}\n"),
    "package script": ("package.json", '{"scripts": {"lint": "x --token {}"}}'),
    "long package script": ("package.json", '{"scripts": {"lint": "' + "x " * 1990 + '{}"}}'),
}


@pytest.mark.parametrize(("path", "content"), PLACES.values(), ids=PLACES)
def test_no_secret_is_kept_or_in_a_difference(
    project: Path, home: Path, path: str, content: str
) -> None:
    if path in ("run.sh", "package.json"):
        write(project, ".llc.yaml", HOOK.format("sh run.sh; npm run lint"))
    write(project, path, content.replace("{}", SECRET))
    trust(project, home)
    assert SECRET[:20] not in locate_record(home).read_text()
    write(project, path, content.replace("{}", f"other {SECRET}"))
    result = check_trust(project, home)
    assert not result.trusted and result.differences
    assert SECRET[:20] not in repr(result.differences)


@pytest.mark.parametrize("letter", ["x", "好", "\x01", "\\", "\N{PILE OF POO}"])
def test_what_is_kept_of_a_folder_is_bounded(project: Path, home: Path, letter: str) -> None:
    for number in range(40):
        write(project, f".llc/skills/{number}/SKILL.md", f"{letter * 15}\n" * 250)
        write(project, f"scripts/{number}.sh", f"{letter * 15}\n" * 60)
    commands = "; ".join(f"sh scripts/{number}.sh" for number in range(40))
    write(project, ".llc.yaml", HOOK.format(commands))
    trust(project, home)
    assert locate_record(home).stat().st_size < MAX_KEPT + 30_000
    (consent,) = read_consents(home).values()
    assert len(consent.files) == 41 and len(consent.texts) < 41
    assert consent.programs and len(consent.programs) == 40
    assert check_trust(project, home).trusted
    missing = next(path for path in consent.files if path not in consent.texts)
    write(project, missing, "changed\n")
    assert check_trust(project, home).differences == {f"`{missing}` changed": (None, "changed\n")}


def test_a_record_too_large_is_refused_and_kept(
    project: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(project, "AGENTS.md", "x\n")
    trust(project, home)
    before = locate_record(home).read_bytes()
    monkeypatch.setattr("maxagent.config.trust.store.MAX_BYTES", len(before) + 10)
    write(project.parent / "other", "AGENTS.md", "x\n")
    with pytest.raises(MaxAgentError, match="would be too large"):
        trust(project.parent / "other", home)
    assert locate_record(home).read_bytes() == before and check_trust(project, home).trusted


def test_texts_follow_a_change_that_was_shown(project: Path, home: Path) -> None:
    write(project, "AGENTS.md", "1\n")
    write(project, "CLAUDE.md", "kept\n")
    trust(project, home)
    before = read_instruction_digests(project)
    write(project, "AGENTS.md", f"2 {SECRET}\n")
    write(project, "GEMINI.md", "new\n")
    after = read_instruction_digests(project)
    changes = {name: [before.get(name, ""), after[name]] for name in ("AGENTS.md", "GEMINI.md")}
    follow_changes(project, home, changes)
    (consent,) = read_consents(home).values()
    assert SECRET not in json.dumps(dict(consent.texts))
    texts = {"AGENTS.md": "2 [secret: GitHub token]\n", "CLAUDE.md": "kept\n", "GEMINI.md": "new\n"}
    assert consent.texts == texts
    (project / "GEMINI.md").unlink()
    follow_changes(project, home, {"GEMINI.md": [after["GEMINI.md"], ""]})
    (consent,) = read_consents(home).values()
    assert sorted(consent.texts) == ["AGENTS.md", "CLAUDE.md"]
    write(project, "AGENTS.md", "3\n")
    assert check_trust(project, home).differences == {
        "`AGENTS.md` changed": ("2 [secret: GitHub token]\n", "3\n")
    }
