"""Tool runtime: registry, invocation, previews, checks after edits, test runs."""
