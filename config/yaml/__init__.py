"""Reading and editing YAML files without losing comments."""
