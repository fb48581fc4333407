"""The cache of compiled kernels on disk: where it lies, and whether the first compilation is still to come."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

_announced = False


@dataclass(frozen=True)
class KernelCache:
    """Files of compiled machine code and the folders they lie in."""

    folders: list[Path]
    files: list[Path]

    @property
    def size(self) -> int:
        """Bytes in all."""
        return sum(f.stat().st_size for f in self.files)


def kernel_cache() -> KernelCache:
    """The cached kernels of flexmb's own modules."""
    folders = sorted(set(_folders()))
    files = [f for folder in folders if folder.is_dir() for f in folder.iterdir() if f.suffix in (".nbi", ".nbc")]
    return KernelCache([f for f in folders if f.is_dir()], sorted(files))


def clear() -> int:
    """Delete the cached kernels; returns how many files went."""
    files = kernel_cache().files
    for file in files:
        file.unlink(missing_ok=True)
    return len(files)


def announce_compilation() -> None:
    """Say once, before the first run on a machine, that kernels are being compiled."""
    global _announced
    if _announced:
        return
    _announced = True
    from flexmb.solvers.generalized_alpha import loop as generalized_alpha

    cache = generalized_alpha.advance._cache
    kept = hasattr(cache, "_cache_file") and (Path(cache._cache_path) / cache._cache_file._index_name).exists()
    if not kept:
        print("flexmb: compiling the kernels for this machine, once; this takes up to a minute …", file=sys.stderr)


def _folders() -> list[Path]:
    from flexmb import elements, forces, joints
    from flexmb.solvers.generalized_alpha import loop as generalized_alpha
    from flexmb.system import evaluation

    modules = (elements.rigid_body, joints.revolute, forces, generalized_alpha, evaluation)
    found = []
    for module in modules:
        for value in vars(module).values():
            cache = getattr(value, "_cache", None)
            if cache is not None and hasattr(cache, "_cache_path"):
                found.append(Path(cache._cache_path))
    return found
