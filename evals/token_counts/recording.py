"""Record how many tokens real tokenizers count in `texts/`: `make token-counts`.

`counts.json` has, for each text, the count of OpenAI's o200k (npm's `js-tiktoken`) and of
DeepSeek's tokenizer (the file in LiteLLM's wheel, read by the package `tokenizers`). All of them
are installed in a temporary folder; neither the tests nor MaxAgent need them.
"""

import json
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).parent
TEXTS = HERE / "texts"
COUNTS = HERE / "counts.json"
VOCABULARY = "litellm/litellm_core_utils/tokenizers/deepseek_tokenizer.json"


def read_texts() -> dict[str, str]:
    """The texts by name; a name begins with its kind: english, chinese, code, result."""
    return {path.stem: path.read_text(encoding="utf-8") for path in sorted(TEXTS.glob("*.txt"))}


def count_o200k(texts: Sequence[str], folder: Path) -> tuple[str, list[int]]:
    """Return the counter's name and its counts."""
    subprocess.run(["npm", "install", "--prefix", folder, "--silent", "js-tiktoken"], check=True)
    package = json.loads((folder / "node_modules/js-tiktoken/package.json").read_text())
    script = shutil.copy(HERE / "count_o200k.mjs", folder)
    return f"js-tiktoken {package['version']}", run_counter(["node", script], texts)


def count_deepseek(texts: Sequence[str], folder: Path) -> tuple[str, list[int]]:
    """Return the counter's name and its counts."""
    subprocess.run([sys.executable, "-m", "venv", folder / "env"], check=True)
    python = str(folder / "env/bin/python")
    pip = [python, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "install", "tokenizers"], check=True)
    subprocess.run([*pip, "download", "--no-deps", "-d", folder, "litellm"], check=True)
    (wheel,) = folder.glob("litellm-*.whl")
    vocabulary = zipfile.ZipFile(wheel).extract(VOCABULARY, folder)
    counts = run_counter([python, str(HERE / "count_deepseek.py"), vocabulary], texts)
    return f"the tokenizer in litellm {wheel.name.split('-')[1]}", counts


def run_counter(command: Sequence[str], texts: Sequence[str]) -> list[int]:
    """Return what the program prints for these texts."""
    done = subprocess.run(
        command, input=json.dumps(texts), capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def main() -> None:
    texts = read_texts()
    with tempfile.TemporaryDirectory() as folder:
        o200k, of_o200k = count_o200k(list(texts.values()), Path(folder))
        deepseek, of_deepseek = count_deepseek(list(texts.values()), Path(folder))
    counts = {
        name: {"o200k": of_o200k[number], "deepseek": of_deepseek[number]}
        for number, name in enumerate(texts)
    }
    recorded = {"by": {"o200k": o200k, "deepseek": deepseek}, "tokens": counts}
    COUNTS.write_text(json.dumps(recorded, indent=1) + "\n", encoding="utf-8")
    print(f"{len(texts)} texts counted by {o200k} and {deepseek}")


if __name__ == "__main__":
    main()
