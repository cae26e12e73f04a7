"""The roles of the graphs' models; each is also the name of its node. `agent` is a sub-agent's."""

from typing import Literal

RoleName = Literal["architect", "coder", "tester", "editor", "build", "plan", "agent"]
# Roles that share one conversation
CHAT_ROLES: frozenset[RoleName] = frozenset({"build", "plan"})
