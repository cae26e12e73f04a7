"""What a model turn needs: agent, system prompt, message history, limits."""
