"""Reviews of a diff: what is reviewed, the model's findings, and their lines in the diff."""
