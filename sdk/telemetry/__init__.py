"""Traces and metrics of runs by the GenAI conventions of OpenTelemetry; loaded only if wanted."""
