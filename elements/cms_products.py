"""Numbers of the products of two bending functions, of CMS beams of the plane and of space."""

from __future__ import annotations

from flexmb.kernels.compilation import inlined


@inlined
def pair(j, k, ng):
    """Number of the pair {j, k} among the pairs in the order (0, 0), (0, 1), …, (1, 1), …"""
    if j > k:
        j, k = k, j
    return j * ng - (j * (j - 1)) // 2 + k - j
