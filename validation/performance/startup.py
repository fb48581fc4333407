"""Import, first run with an empty kernel cache, and the start of later processes."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time

_RUN = """
import time
begun = time.perf_counter()
import flexmb as fm
imported = time.perf_counter() - begun
from flexmb.examples.spin_up import build
solution = fm.simulate(build(), 0.1, step=0.02, progress=False)
print(f"import {imported:.3f} s, first steps done after {time.perf_counter() - begun:.2f} s")
"""


def main() -> None:
    """Print the times of a first and of later processes."""
    with tempfile.TemporaryDirectory() as cache:
        for label in ("first process, nothing compiled", "second process", "third process"):
            begun = time.perf_counter()
            environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
            result = subprocess.run(
                [sys.executable, "-c", _RUN], env=environment, capture_output=True, text=True, check=True
            )
            print(f"{label}: {result.stdout.strip()}, whole process {time.perf_counter() - begun:.2f} s")


if __name__ == "__main__":
    main()
