"""Nodes that run other agents: several attempts at a task, sub-agents."""
