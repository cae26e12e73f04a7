"""Permissions of tool calls: one pure decision (allow, ask or deny) and its rules."""
