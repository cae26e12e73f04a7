"""`make release`: sdist, wheel, SBOM and notes of a version, tried in a fresh environment.

Everything is built from the last commit, never from files beside it. The tag is the maintainer's:
this program only prints its commands.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
OUTPUT = ROOT / "dist"
VALIDATION = """
import sys
from pathlib import Path
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

text = Path(sys.argv[1]).read_text("utf-8")
sys.exit(JsonStrictValidator(SchemaVersion.V1_6).validate_str(text))
"""


def main() -> None:
    """Build the version that the last commit names, and try it."""
    with tempfile.TemporaryDirectory() as folder:
        source = export_commit(Path(folder) / "source")
        version = read_version(source)
        notes = extract_notes((source / "CHANGELOG.md").read_text("utf-8"), version)
        builder = create_environment(Path(folder) / "builder")
        run([builder, "-m", "pip", "install", "--quiet", "build", "cyclonedx-bom"])
        wheel = build_distributions(source, builder, version)
        python = try_wheel(wheel, source, builder, Path(folder) / "fresh", version)
        write_sbom(python, source, builder, version)
        play_demonstration(python, source, builder)
    (OUTPUT / "release-notes.md").write_text(notes, encoding="utf-8")
    print(f"\n{version} is in {OUTPUT}: sdist, wheel, SBOM, release-notes.md")
    print(f"Its tag is the maintainer's: git tag -s v{version} && git push origin v{version}")


def export_commit(folder: Path) -> Path:
    """Write the files of the last commit into a new folder."""
    folder.mkdir()
    archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, check=True, capture_output=True)
    subprocess.run(["tar", "-x", "-C", str(folder)], input=archive.stdout, check=True)
    return folder


def read_version(source: Path) -> str:
    """Read the version; raise ValueError if the package and `pyproject.toml` name two."""
    declared = tomllib.loads((source / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    module = (source / "__init__.py").read_text("utf-8")
    if f'__version__ = "{declared}"' not in module:
        raise ValueError(f"pyproject.toml names {declared}, __init__.py another version")
    return declared


def extract_notes(changelog: str, version: str) -> str:
    """Return a version's part of the changelog; raise ValueError if it has none."""
    for section in re.split(r"^## ", changelog, flags=re.MULTILINE)[1:]:
        heading, _, body = section.partition("\n")
        if heading.split()[:1] == [version]:
            return f"# MaxAgent {heading}\n\n{body.strip()}\n"
    raise ValueError(f"CHANGELOG.md has no part `## {version}`: rename `## Unreleased`")


def build_distributions(source: Path, builder: Path, version: str) -> Path:
    """Build the sdist, and from it the wheel; return the wheel."""
    for stale in OUTPUT.glob("maxagent-*"):
        stale.unlink()
    run([builder, "-m", "build", "--outdir", OUTPUT, source])
    assert (OUTPUT / f"maxagent-{version}.tar.gz").exists()
    return OUTPUT / f"maxagent-{version}-py3-none-any.whl"


def try_wheel(wheel: Path, source: Path, builder: Path, folder: Path, version: str) -> Path:
    """Install the wheel alone and ask for its version; return the environment's Python."""
    python = create_environment(folder, "--without-pip")
    install(builder, python, source, wheel)
    output = subprocess.check_output([python.parent / "mcode", "--version"], text=True)
    if output.strip() != f"mcode {version}":
        raise ValueError(f"the wheel says {output.strip()}, not mcode {version}")
    return python


def write_sbom(python: Path, source: Path, builder: Path, version: str) -> None:
    """List what the environment has, with licences, as CycloneDX."""
    file = OUTPUT / f"maxagent-{version}.cdx.json"
    program = [builder.parent / "cyclonedx-py", "environment", "--output-reproducible"]
    run([*program, "--pyproject", source / "pyproject.toml", "--output-file", file, python])
    sbom = json.loads(file.read_text("utf-8"))
    check_sbom(sbom, version)
    sbom["components"] += list_page_libraries(source)
    file.write_text(json.dumps(sbom, indent=2) + "\n", encoding="utf-8")
    validate_sbom(file, builder)


def validate_sbom(file: Path, python: Path) -> None:
    """Compare the file with CycloneDX's schema; raise ValueError with what is wrong with it.

    The validator is CycloneDX's own, which `cyclonedx-bom` brings into the environment of `python`.
    """
    checked = subprocess.run(
        [python, "-c", VALIDATION, file], capture_output=True, text=True, check=False
    )
    if checked.returncode:
        raise ValueError(f"the SBOM is not CycloneDX:\n{checked.stderr.strip()}")


def list_page_libraries(source: Path) -> list[dict[str, Any]]:
    """Return the libraries from npm that the wheel contains, as components of an SBOM."""
    listed = json.loads((source / "cli/web/page/vendor/vendor.json").read_text("utf-8"))
    versions = {(file["package"], file["version"], file["licence"]) for file in listed.values()}
    return [
        {
            "type": "library",
            "bom-ref": f"npm:{name}@{version}",
            "name": name,
            "version": version,
            "purl": f"pkg:npm/{name.replace('@', '%40')}@{version}",
            "licenses": [{"expression": licence}],
        }
        for name, version, licence in sorted(versions)
    ]


def check_sbom(sbom: Mapping[str, Any], version: str) -> None:
    """Raise ValueError unless it is about this version and lists what that needs."""
    subject = sbom["metadata"]["component"]
    if (subject["name"], subject["version"]) != ("maxagent", version):
        raise ValueError(f"the SBOM is about {subject['name']} {subject['version']}")
    missing = {"langgraph", "typer"} - {component["name"] for component in sbom["components"]}
    if missing:
        raise ValueError(f"the SBOM lacks {', '.join(sorted(missing))}")


def play_demonstration(python: Path, source: Path, builder: Path) -> None:
    """Play the demonstration with the wheel; its project tests itself with pytest."""
    install(builder, python, source, "pytest")
    programs = os.pathsep.join([str(python.parent), os.environ["PATH"]])
    environ = {**os.environ, "PATH": programs, "TMPDIR": str(builder.parents[2])}
    run(["sh", source / "docs/demo/run.sh"], environ)


def install(builder: Path, python: Path, source: Path, package: str | Path) -> None:
    """Install a package into an environment that has no pip of its own."""
    pip = [builder, "-m", "pip", "--python", python, "install", "--quiet"]
    run([*pip, "-c", source / "constraints.txt", package])


def create_environment(folder: Path, *options: str) -> Path:
    """Create a virtual environment; return its Python."""
    subprocess.run([sys.executable, "-m", "venv", *options, str(folder)], check=True)
    return folder / "bin" / "python"


def run(arguments: list[str | Path], environ: Mapping[str, str] | None = None) -> None:
    """Run a program outside of the repository; an exit code other than 0 ends the release."""
    print("$", *arguments, file=sys.stderr)
    subprocess.run(arguments, cwd=tempfile.gettempdir(), env=environ, check=True)


if __name__ == "__main__":
    main()
