"""The tool planner: steps that the model names before it begins, as its todo list."""
