"""What calls the tools: registry, invocation, previews, checks after edits, test runs."""
