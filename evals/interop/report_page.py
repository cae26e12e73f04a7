"""The parts of `docs/interop.md`, each written by a program of its own."""

from pathlib import Path


def replace_part(page: Path, title: str, part: str) -> None:
    """Put a part in the place of the one with its title, or at the end; others stay as they are."""
    before, _, after = page.read_text(encoding="utf-8").partition(f"\n{title}")
    later = "".join(after.partition("\n## ")[1:])
    page.write_text(f"{before.rstrip()}\n\n{part.rstrip()}\n{later}", encoding="utf-8")
