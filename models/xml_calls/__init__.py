"""Tool calls written as XML in the text, for models without native ones, and calls that leak."""
