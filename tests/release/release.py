"""`make release`: sdist and wheel of a version, tried in a fresh environment, and its notes.

Everything is built from the last commit, never from files beside it. The tag is the maintainer's:
this program only prints its commands.
"""

import os
import re
import subprocess
import sys
import tempfile
import tomllib
import venv
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]
OUTPUT = ROOT / "dist"


def main() -> None:
    """Build the version that the last commit names, and try it."""
    with tempfile.TemporaryDirectory() as folder:
        source = export_commit(Path(folder) / "source")
        version = read_version(source)
        notes = extract_notes((source / "CHANGELOG.md").read_text("utf-8"), version)
        wheel = build_distributions(source, Path(folder) / "builder", version)
        try_wheel(wheel, source, Path(folder) / "fresh", version)
    (OUTPUT / "release-notes.md").write_text(notes, encoding="utf-8")
    print(f"\n{version} is in {OUTPUT}: sdist, wheel, release-notes.md")
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
    python = create_environment(builder)
    run([python, "-m", "pip", "install", "--quiet", "build"])
    for stale in OUTPUT.glob("maxagent-*"):
        stale.unlink()
    run([python, "-m", "build", "--outdir", OUTPUT, source])
    assert (OUTPUT / f"maxagent-{version}.tar.gz").exists()
    return OUTPUT / f"maxagent-{version}-py3-none-any.whl"


def try_wheel(wheel: Path, source: Path, folder: Path, version: str) -> None:
    """Install the wheel alone, and play the demonstration with it."""
    python = create_environment(folder)
    constraints = source / "constraints.txt"
    # the demonstration's project tests itself with pytest
    run([python, "-m", "pip", "install", "--quiet", "-c", constraints, wheel, "pytest"])
    programs = os.pathsep.join([str(python.parent), os.environ["PATH"]])
    environ = {**os.environ, "PATH": programs, "TMPDIR": str(folder)}
    output = subprocess.check_output([python.parent / "mcode", "--version"], env=environ, text=True)
    if output.strip() != f"mcode {version}":
        raise ValueError(f"the wheel says {output.strip()}, not mcode {version}")
    run(["sh", source / "docs/demo/run.sh"], environ)


def create_environment(folder: Path) -> Path:
    """Create a virtual environment; return its Python."""
    venv.create(folder, with_pip=True)
    return folder / "bin" / "python"


def run(arguments: list[str | Path], environ: Mapping[str, str] | None = None) -> None:
    """Run a program outside of the repository; an exit code other than 0 ends the release."""
    print("$", *arguments, file=sys.stderr)
    subprocess.run(arguments, cwd=tempfile.gettempdir(), env=environ, check=True)


if __name__ == "__main__":
    main()
