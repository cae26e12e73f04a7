"""The roles of the graphs' models; each is also the name of its node. `agent` is a sub-agent's.

A node with a role takes, beside what `memory/checkpoints/steps.py` lists:

- a file in `nodes/`, with its edges
- its name in this module, `nodes/tool_task.py`, `nodes/approval/dispatch.py`,
  `sdk/graph_registry.py`
- `config/agents/builtin/<role>.md`
- the key `role.NAME` in both `mcode.po`
- the diagram and the table in `docs/architecture.md`
- `make docs`
"""

from typing import Literal

RoleName = Literal["architect", "coder", "tester", "editor", "build", "plan", "agent"]
# Roles that share one conversation
CHAT_ROLES: frozenset[RoleName] = frozenset({"build", "plan"})
