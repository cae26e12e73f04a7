"""Static analysis of command lines: parsed, never run.

`tools/shell/analyzer.py` analyzes a command line: it parses the line (`parsing/parser.py`;
`parsing/grammar_mismatches.py` lists where bash parses differently) and splits it into steps in
the shell's order, with values expanded and wrappers opened (`parsing/command_line.py`,
`parsing/evaluator.py`). Each step goes through every check (`destructive`, `sensitive_files`,
`protected_writes`, `remote_code`, `deletions`); only `readonly/classifier.py` can allow it without
a question, from lists of programs and flags. The analysis runs nothing and only inspects files.
"""
