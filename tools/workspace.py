"""The project folder as tools see it: which paths are inside it and which may be touched."""
from pathlib import Path
from dataclasses import dataclass

@dataclass(frozen=True)
class Workspace:
    root: Path
