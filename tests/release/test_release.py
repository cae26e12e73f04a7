"""What `make release` reads: the version, and its notes."""

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from release import (
    ROOT,
    check_sbom,
    extract_notes,
    list_page_libraries,
    read_version,
    validate_sbom,
)

CHANGELOG = """# Changes

## Unreleased

### Added

- new

## 0.2.0 (2026-11-27)

### Fixed

- mended

## 0.2 and earlier

- old
"""


@pytest.mark.parametrize(
    ("version", "notes"),
    [
        ("0.2.0", "# MaxAgent 0.2.0 (2026-11-27)\n\n### Fixed\n\n- mended\n"),
        ("Unreleased", "# MaxAgent Unreleased\n\n### Added\n\n- new\n"),
        ("0.2", "# MaxAgent 0.2 and earlier\n\n- old\n"),
    ],
)
def test_notes_are_one_part_of_the_changelog(version: str, notes: str) -> None:
    assert extract_notes(CHANGELOG, version) == notes


@pytest.mark.parametrize("version", ["0.2.1", "0.20", "2.0", "earlier"])
def test_a_version_without_notes_stops(version: str) -> None:
    with pytest.raises(ValueError, match="has no part"):
        extract_notes(CHANGELOG, version)


def test_two_versions_stop(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "0.3.0"\n')
    (tmp_path / "__init__.py").write_text('__version__ = "0.2.0"\n')
    with pytest.raises(ValueError, match="names 0.3.0"):
        read_version(tmp_path)


@pytest.mark.parametrize(
    ("subject", "components", "message"),
    [
        ({"name": "maxagent", "version": "0.1.0"}, ["langgraph", "typer"], "about maxagent 0.1.0"),
        ({"name": "pip", "version": "0.2.0"}, ["langgraph", "typer"], "about pip"),
        ({"name": "maxagent", "version": "0.2.0"}, [], "lacks langgraph, typer"),
        ({"name": "maxagent", "version": "0.2.0"}, ["langgraph"], "lacks typer"),
        ({"name": "maxagent", "version": "0.2.0"}, ["typer", "pip"], "lacks langgraph"),
    ],
)
def test_an_sbom_of_another_environment_stops(
    subject: dict[str, str], components: list[str], message: str
) -> None:
    listed = [{"name": name} for name in components]
    with pytest.raises(ValueError, match=message):
        check_sbom({"metadata": {"component": subject}, "components": listed}, "0.2.0")


def test_an_sbom_lists_the_libraries_of_the_page() -> None:
    listed = list_page_libraries(ROOT)
    assert {"preact", "htm", "marked"} < {component["name"] for component in listed}
    assert all(component["purl"].startswith("pkg:npm/") for component in listed)


def write_components(folder: Path, *components: dict[str, Any], **changes: Any) -> Path:
    sbom = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "components": [*list_page_libraries(ROOT), *components],
        **changes,
    }
    file = folder / "sbom.json"
    file.write_text(json.dumps(sbom), encoding="utf-8")
    return file


def test_libraries_of_the_page_are_valid(tmp_path: Path) -> None:
    validate_sbom(write_components(tmp_path), Path(sys.executable))


@pytest.mark.parametrize(
    ("component", "changes"),
    [
        ({"name": "a"}, {}),
        ({"type": "book", "name": "a"}, {}),
        ({"type": "library", "name": "a", "license": "MIT"}, {}),
        ({"type": "library", "name": "a", "licenses": [{"license": {"id": "Mine"}}]}, {}),
        ({"type": "library", "name": "a"}, {"bomFormat": "SPDX"}),
    ],
)
def test_an_sbom_against_the_schema_stops(
    tmp_path: Path, component: dict[str, Any], changes: dict[str, Any]
) -> None:
    file = write_components(tmp_path, component, **changes)
    with pytest.raises(ValueError, match="the SBOM is not CycloneDX"):
        validate_sbom(file, Path(sys.executable))


def test_a_missing_validator_stops(tmp_path: Path) -> None:
    program = tmp_path / "python"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    with pytest.raises(ValueError, match="No module named 'cyclonedx'"):
        validate_sbom(write_components(tmp_path), program)


def test_the_version_has_its_notes() -> None:
    notes = extract_notes((ROOT / "CHANGELOG.md").read_text("utf-8"), read_version(ROOT))
    assert len(re.findall("^- ", notes, re.MULTILINE)) > 100
