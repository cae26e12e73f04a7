"""Skills: folders with a `SKILL.md`, which a model loads when a task needs one."""
