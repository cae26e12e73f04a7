"""The roles that speak in the graphs; each is also the node in which it speaks."""

from typing import Literal

RoleName = Literal["architect", "coder", "tester", "editor", "build", "plan"]
