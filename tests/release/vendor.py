"""Take the page's libraries from npm, unchanged, with their licences: `make vendor`.

`vendor.json` has each file with its package, version, licence and hash; a test compares them.
"""

import hashlib
import json
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[2] / "cli" / "web" / "page" / "vendor"
HIGHLIGHT = "@highlightjs/cdn-assets"
LANGUAGES = (
    "bash c cpp css diff go java javascript json markdown python rust sql typescript xml yaml"
)
# package: version, licence, file of the licence, files as they are served: in the package
PACKAGES: dict[str, tuple[str, str, str, dict[str, str]]] = {
    "htm": ("3.1.1", "Apache-2.0", "LICENSE", {"htm-preact.js": "preact/standalone.module.js"}),
    "preact": ("10.5.15", "MIT", "LICENSE", {}),  # it is within htm's file
    "marked": ("18.2.1", "MIT", "LICENSE", {"marked.js": "lib/marked.esm.js"}),
    HIGHLIGHT: (
        "11.12.0",
        "BSD-3-Clause",
        "LICENSE",
        {
            "highlight.js": "es/core.min.js",
            **{f"languages/{name}.js": f"es/languages/{name}.min.js" for name in LANGUAGES.split()},
        },
    ),
}


def main() -> None:
    """Replace the folder by what npm has."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    (FOLDER / "languages").mkdir(parents=True)
    files = dict[str, dict[str, Any]]()
    with tempfile.TemporaryDirectory() as folder:
        requirements = [f"{name}@{version}" for name, (version, *_) in PACKAGES.items()]
        flags = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error", "--force"]
        subprocess.run(["npm", "install", "--prefix", folder, *flags, *requirements], check=True)
        for name, (version, licence, licence_file, served) in PACKAGES.items():
            package = Path(folder, "node_modules", name)
            short = name.rpartition("/")[2] if name != HIGHLIGHT else "highlight"
            copies = {f"{short}.LICENSE.txt": licence_file, **served}
            for target, source in copies.items():
                content = (package / source).read_bytes()
                (FOLDER / target).write_bytes(content)
                files[target] = {
                    "package": name,
                    "version": version,
                    "licence": licence,
                    "source": source,
                    "sha256": hashlib.sha256(content).hexdigest(),
                }
    text = json.dumps(files, indent=2, sort_keys=True)
    (FOLDER / "vendor.json").write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
