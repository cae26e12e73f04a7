"""Chat models that are objects of the program which embeds MaxAgent."""
