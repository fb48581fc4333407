"""What a film computes anew for each picture of a piece that bends, compiled: normals along a path and on a surface."""

from __future__ import annotations

import math

from flexmb.kernels.compilation import allocation_free
from flexmb.kernels.vectors import cross, dot, minus, put, times, vector_in


@allocation_free
def add_areas(points, faces, out):
    """Add to out (p, 3), zero on entry, the areas of the faces (f, 3) at each of the points (p, 3), as vectors across
    them, and make them unit vectors; z for points without faces."""
    for f in range(faces.shape[0]):
        i, j, k = faces[f, 0], faces[f, 1], faces[f, 2]
        a = vector_in(points[i], 0)
        area = cross(minus(vector_in(points[j], 0), a), minus(vector_in(points[k], 0), a))
        for axis in range(3):
            out[i, axis] += area[axis]
            out[j, axis] += area[axis]
            out[k, axis] += area[axis]
    for i in range(points.shape[0]):
        normal = vector_in(out[i], 0)
        size = math.sqrt(dot(normal, normal))
        put(out[i], 0, times(1.0 / size, normal) if size > 0.0 else (0.0, 0.0, 1.0))


@allocation_free
def carry(path, tangent, normals):
    """Carry the first of the normals (p, 3) along a path (p, 3) with unit tangents (p, 3), by two reflections from each
    point to the next, Wang et al. (2008)."""
    for k in range(path.shape[0] - 1):
        n, t = vector_in(normals[k], 0), vector_in(tangent[k], 0)
        ahead = vector_in(tangent[k + 1], 0)
        step = minus(vector_in(path[k + 1], 0), vector_in(path[k], 0))
        square = dot(step, step)
        if square > 0.0:
            n = minus(n, times(2.0 / square * dot(step, n), step))
            t = minus(t, times(2.0 / square * dot(step, t), step))
        change = minus(ahead, t)
        square = dot(change, change)
        if square > 0.0:
            n = minus(n, times(2.0 / square * dot(change, n), change))
        n = minus(n, times(dot(n, ahead), ahead))
        put(normals[k + 1], 0, times(1.0 / math.sqrt(dot(n, n)), n))
