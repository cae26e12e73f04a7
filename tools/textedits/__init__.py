"""Text edits as data: replacing, diffing, anchors and composition."""
