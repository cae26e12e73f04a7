"""Count the tokens of each text of a JSON list on stdin: `count_deepseek.py TOKENIZER.json`.

It runs in an environment that has the package `tokenizers`, which MaxAgent does not need.
"""

import json
import sys

from tokenizers import Tokenizer  # pyright: ignore

tokenizer = Tokenizer.from_file(sys.argv[1])
texts = json.load(sys.stdin)
print(json.dumps([len(tokenizer.encode(text, add_special_tokens=False).ids) for text in texts]))
