"""The type checker on the package as it is installed, with elements, examples and validation, in a checkout:

python -m tests.types

These rooms lie beside `flexmb` (`package_dir` in setup.cfg), where the type checker does not look for parts of a
package. So it reads a folder of links, in which everything lies as in an installed package.
"""

from __future__ import annotations

import configparser
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent


def lay_out(at: Path) -> None:
    """Put the package, in links to its files and rooms, and the tools of the documentation into a folder."""
    settings = configparser.ConfigParser()
    settings.read(ROOT / "setup.cfg", encoding="utf-8")
    beside = (line.partition("=") for line in settings["options"]["package_dir"].splitlines() if line)
    (at / "flexmb").mkdir()
    for part in (ROOT / "flexmb").iterdir():
        (at / "flexmb" / part.name).symlink_to(part)
    for name, _, folder in beside:
        at.joinpath(*name.strip().split(".")).symlink_to(ROOT / folder.strip())
    (at / "docs").symlink_to(ROOT / "docs")


def check() -> int:
    """Run the type checker; 0 where all types hold."""
    with tempfile.TemporaryDirectory() as folder:
        lay_out(Path(folder))
        command = [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "setup.cfg")]
        return subprocess.run([*command, "--cache-dir", str(ROOT / ".mypy_cache")], cwd=folder).returncode


if __name__ == "__main__":
    sys.exit(check())
