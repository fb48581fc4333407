"""One step of assembly: the rows of the joints that it closes, and the piece that it makes of the pieces they connect.

With the rows E of the step, right-hand sides e, forces F on the handles that are kept, R = E Φ, K = R Eᵀ:

    E V̇ = R F + K λ + E B = e,    V̇ = Φ F + Rᵀ λ + B

Each formulation factorizes K in its own manner and leaves rows Z and numbers y that depend linearly on R and e − E B,
with

    Φ of the new piece = Φ − Zᵀ Z,   B of the new piece = B + Zᵀ y

All rows of a step stand in `kept`, with six columns for each handle of the pieces that it connects.
"""

from __future__ import annotations

from flexmb.kernels.compilation import called, inlined
from flexmb.kernels.views import matrix_view, vector_view


@inlined
def rows_of(s, step):
    """The index of the first row of a step, its number of rows, and its number of columns."""
    first = s.joint[s.joint_first[step]]
    last = s.joint[s.joint_first[step + 1] - 1]
    row = s.row_first[first]
    rows = s.row_first[last] + s.rows[last] - row
    return row, rows, (s.kept_at[step + 1] - s.kept_at[step]) // rows


@inlined
def piece_of(s, step, entry):
    """The piece among those of a step that has an entry as handle; −1 if none."""
    for i in range(s.piece_first[step], s.piece_first[step + 1]):
        p = s.piece[i]
        if s.entry_first[p] <= entry < s.entry_first[p + 1]:
            return p
    return -1


#: six zeros
NO_NUMBERS = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@inlined
def numbers_in(A, i):
    """The first six numbers of a row of A."""
    return A[i, 0], A[i, 1], A[i, 2], A[i, 3], A[i, 4], A[i, 5]


@inlined
def numbers_plus(a, x, b):
    """a + x b of six numbers each."""
    return a[0] + x * b[0], a[1] + x * b[1], a[2] + x * b[2], a[3] + x * b[3], a[4] + x * b[4], a[5] + x * b[5]


@inlined
def put_numbers_in(A, i, a):
    """Write six numbers into the first six columns of a row of A."""
    A[i, 0], A[i, 1], A[i, 2], A[i, 3], A[i, 4], A[i, 5] = a


@inlined
def row_times(row, A):
    """Six numbers: a row (6,) times the first six columns of A (6, …)."""
    total = NO_NUMBERS
    for i in range(6):
        total = numbers_plus(total, row[i], numbers_in(A, i))
    return total


@inlined
def dot_of(a, b):
    """The scalar product of two rows (6,)."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5]


@called(None)
def gather(room, step):
    """R of all rows of a step in `kept`, K on and below the diagonal in `factor`, e − E B in `right`."""
    s = room.schedule
    first, rows, width = rows_of(s, step)
    R, K = s.kept_at[step], s.factor_at[step]
    for i in range(s.joint_first[step], s.joint_first[step + 1]):
        j = s.joint[i]
        row = s.row_first[j]
        at = R + (row - first) * width
        a, b = -1, -1
        if s.inner[j] >= 0:
            a = piece_of(s, step, s.inner[j])
        if s.outer[j] >= 0:
            b = piece_of(s, step, s.outer[j])
        for k in range(s.piece_first[step], s.piece_first[step + 1]):
            p = s.piece[k]
            if p != a and p != b:
                for r in range(s.rows[j]):
                    for e in range(s.entry_first[p], s.entry_first[p + 1]):
                        for c in range(6):
                            room.steps.kept[at + r * width + s.column[e] + c] = 0.0
        if a >= 0:
            _put_rows(room, s, a, s.inner[j], room.joints.inner, row, row + s.rows[j], at, width, False)
        if b >= 0:
            _put_rows(room, s, b, s.outer[j], room.joints.outer, row, row + s.rows[j], at, width, a == b)
    for i in range(s.joint_first[step], s.joint_first[step + 1]):
        j = s.joint[i]
        row = s.row_first[j]
        for r in range(row, row + s.rows[j]):
            for q in range(r, first + rows):
                total, at = 0.0, R + (q - first) * width
                if s.inner[j] >= 0:
                    total += dot_of(room.joints.inner[r], vector_view(room.steps.kept, at + s.column[s.inner[j]], 6))
                if s.outer[j] >= 0:
                    total += dot_of(room.joints.outer[r], vector_view(room.steps.kept, at + s.column[s.outer[j]], 6))
                room.steps.factor[K + (q - first) * rows + r - first] = total


@inlined
def _put_rows(room, s, p, entry, E, row, last, R, width, add):
    """R = E Φ, or R += E Φ, for the rows of a joint on one side, and right −= E B."""
    head = s.entry_first[p]
    wide = 6 * (s.entry_first[p + 1] - head)
    phi = s.phi_at[p] + 6 * (entry - head) * wide
    for r in range(row, last):
        room.steps.right[r] -= dot_of(E[r], room.handles.B[entry])
        at = R + (r - row) * width
        for e in range(head, s.entry_first[p + 1]):
            to = matrix_view(room.steps.kept, at + s.column[e], 1, 6)
            total = row_times(E[r], matrix_view(room.handles.phi, phi + 6 * (e - head), 6, wide))
            if add:
                total = numbers_plus(total, 1.0, numbers_in(to, 0))
            put_numbers_in(to, 0, total)


@called(None)
def reduce(room, step, rank):
    """Φ and B of the piece that a step makes, from the first `rank` rows of Z in `kept` and y in `right`."""
    s = room.schedule
    first, _, width = rows_of(s, step)
    result = s.entry_first.shape[0] - 1 - s.loop.shape[0] + step
    at, entry = s.phi_at[result], s.entry_first[result]
    wide = 6 * (s.entry_first[result + 1] - entry)
    Z = s.kept_at[step]
    for i in range(s.piece_first[step], s.piece_first[step + 1]):
        p = s.piece[i]
        for e in range(s.entry_first[p], s.entry_first[p + 1]):
            if s.to[e] < 0:
                continue
            for c in range(6):
                total = room.handles.B[e, c]
                for r in range(rank):
                    total += room.steps.kept[Z + r * width + s.column[e] + c] * room.steps.right[first + r]
                room.handles.B[s.to[e], c] = total
            for k in range(s.piece_first[step], s.piece_first[step + 1]):
                o = s.piece[k]
                for f in range(s.entry_first[o], s.entry_first[o + 1]):
                    if s.to[f] >= s.to[e]:
                        _block(room, s, p, e, f, o == p, at, wide, entry, Z, width, rank)


@inlined
def _block(room, s, p, e, f, same, at, wide, entry, Z, width, rank):
    """The block of the new piece's Φ between two handles, and its transpose."""
    z_e, z_f = Z + s.column[e], Z + s.column[f]
    old = 6 * (s.entry_first[p + 1] - s.entry_first[p])
    was = s.phi_at[p] + 6 * (e - s.entry_first[p]) * old + 6 * (f - s.entry_first[p])
    i_e, i_f = 6 * (s.to[e] - entry), 6 * (s.to[f] - entry)
    Z_e, Z_f = matrix_view(room.steps.kept, z_e, rank, width), matrix_view(room.steps.kept, z_f, rank, width)
    before = matrix_view(room.handles.phi, was, 6, old)
    new = matrix_view(room.handles.phi, at + i_e * wide + i_f, 6, wide)
    back = matrix_view(room.handles.phi, at + i_f * wide + i_e, 6, wide)
    for i in range(6):
        total = NO_NUMBERS
        if same:
            total = numbers_in(before, i)
        for r in range(rank):
            total = numbers_plus(total, -Z_e[r, i], numbers_in(Z_f, r))
        put_numbers_in(new, i, total)
    if e != f:
        for i in range(6):
            for j in range(6):
                back[j, i] = new[i, j]


@called(None)
def open_up(room, step):
    """Begin to disassemble a step: forces on the handles of the new piece are copied to the kept handles of the old
    pieces, others become zero; Z F of the rows is written to `lam`."""
    s = room.schedule
    first, rows, width = rows_of(s, step)
    Z = s.kept_at[step]
    for r in range(rows):
        room.steps.lam[first + r] = 0.0
    for i in range(s.piece_first[step], s.piece_first[step + 1]):
        p = s.piece[i]
        for e in range(s.entry_first[p], s.entry_first[p + 1]):
            if s.to[e] < 0:
                for c in range(6):
                    room.handles.F[e, c] = 0.0
                continue
            for c in range(6):
                room.handles.F[e, c] = room.handles.F[s.to[e], c]
            for r in range(rows):
                room.steps.lam[first + r] += dot_of(
                    room.handles.F[e], vector_view(room.steps.kept, Z + r * width + s.column[e], 6)
                )


@called(None)
def hand_out(room, step):
    """Add the reactions λ of the rows of a step to the forces on the handles of its pieces and to the forces of its
    joints."""
    s = room.schedule
    for i in range(s.joint_first[step], s.joint_first[step + 1]):
        j = s.joint[i]
        for r in range(s.row_first[j], s.row_first[j] + s.rows[j]):
            x = room.steps.lam[r]
            for c in range(6):
                room.joints.forces[j, c] += x * room.joints.T[r, c]
                if s.inner[j] >= 0:
                    room.handles.F[s.inner[j], c] += x * room.joints.inner[r, c]
                if s.outer[j] >= 0:
                    room.handles.F[s.outer[j], c] += x * room.joints.outer[r, c]
