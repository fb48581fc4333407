"""Arrays of reduced bodies: checked, and fixed so that nobody writes into them."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.model import checks

#: P_FG and P_GFᵀ, T and its transpose, and axes and unit vectors may differ by this part of the largest entry
ROUNDING = 1e-9


def fixed_array(value: Any, what: str, where: str, shape: tuple[int, ...]) -> np.ndarray:
    """A read-only array of finite numbers with a shape."""
    result = checks.numbers(value, what, where, f"an array of shape {shape}")
    if result.shape != shape:
        raise ModelError(f"{where}: {what} must be an array of shape {shape}, not {checks.quoted(result)}")
    return fixed(result)


def fixed(array: np.ndarray) -> np.ndarray:
    array = np.ascontiguousarray(array)
    array.flags.writeable = False
    return array


def fixed_symmetric(value: Any, what: str, where: str, shape: tuple[int, ...]) -> np.ndarray:
    """An array whose last two axes are a symmetric matrix; the rounding in it is taken out."""
    result = fixed_array(value, what, where, shape)
    turned = np.swapaxes(result, -1, -2)
    if result.size and np.max(np.abs(result - turned)) > ROUNDING * np.max(np.abs(result)):
        raise ModelError(f"{where}: {what} is not symmetric in its last two axes; give (T + Tᵀ)/2")
    return fixed(0.5 * (result + turned))


def fixed_axes(value: Any, where: str, d: int) -> np.ndarray:
    """Axes as the columns of a rotation matrix."""
    result = fixed_array(value, "orientation", where, (d, d))
    if np.max(np.abs(result.T @ result - np.eye(d))) > ROUNDING or np.linalg.det(result) < 0.0:
        raise ModelError(f"{where}: orientation is no rotation matrix: its columns must be right-handed unit axes")
    return result
