"""Evaluating tool calls, interrupts for approval, and dispatch of what was approved."""
