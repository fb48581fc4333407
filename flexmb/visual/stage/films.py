"""What a film computes anew for each picture of a piece that bends, compiled: tubes and their normals, those on
surfaces."""

from __future__ import annotations

import math

from flexmb.kernels.compilation import allocation_free
from flexmb.kernels.vectors import cross, dot, minus, plus, put, times, vector_in


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
def put_tube(path, normal, profile, widths, out):
    """Put into out ((p + 2) m, 3) the rings of a tube along a path (p, 3) with unit normals (p, 3): the points (m, 2)
    of a profile times `widths` (p, 2) in each ring, then the first and the last ring once more, for the caps."""
    count, m = path.shape[0], profile.shape[0]
    for i in range(count):
        place, n = vector_in(path[i], 0), vector_in(normal[i], 0)
        behind, ahead = path[max(i - 1, 0)], path[min(i + 1, count - 1)]
        across = cross(minus(vector_in(ahead, 0), vector_in(behind, 0)), n)
        size = math.sqrt(dot(across, across))
        across = times(1.0 / size, across) if size > 0.0 else (0.0, 0.0, 1.0)
        for j in range(m):
            y, z = profile[j, 0] * widths[i, 0], profile[j, 1] * widths[i, 1]
            put(out[i * m + j], 0, plus(place, plus(times(y, n), times(z, across))))
    for j in range(m):
        for axis in range(3):
            out[count * m + j, axis] = out[j, axis]
            out[(count + 1) * m + j, axis] = out[(count - 1) * m + j, axis]


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
