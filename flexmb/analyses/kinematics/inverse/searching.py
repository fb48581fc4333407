"""The search for joint coordinates at which frames of a tree stand where they shall; compiled.

The errors e(x) of the frames, and of rows that close loops, have the Jacobian J by joint speeds. From where it begins a
search first closes them, by the steps of Levenberg and Marquardt,

    y = −M Jᵀ (J M Jᵀ + μ)⁻¹ e,      x ← x ∘ exp y

in which μ falls with the gain of each step, M are units of the coordinates, and a coordinate at a limit that y would
leave takes no part; y ends at the first limit that it meets. Then, where coordinates are left over, it goes along e = 0
to the nearest place to a goal r, Σ wⱼ (x ⊖ r)ⱼ² → min, by projected steps, each closed again by Newton's method:

    y = s (d − W⁻¹ Jᵀ (J W⁻¹ Jᵀ)⁻¹ J d),     d = r ⊖ x

whose length s follows from the change of the projected d over the last step, as in Barzilai and Borwein (1988).

The equations are asked for from outside: :func:`advance` takes those at `trial`, and says whether it wants those of the
next one. So rows that are known in Python alone can join them.
"""

from __future__ import annotations

import math

from flexmb.algebra.least_norm import least_norm
from flexmb.analyses.kinematics.inverse.search import (
    fix_at_limits,
    half_square,
    largest_of,
    put_within,
    room_for_step,
    solve,
    take_trial,
)
from flexmb.formulations.tree.coordinates import increment
from flexmb.kernels.compilation import called

#: phases of a search
BEGIN, CLOSE, REFINE = range(3)
#: Errors below this, in radians and model lengths, count as none; a search that comes no nearer may end at ROUNDING.
CLOSED, ROUNDING = 1e-12, 5e-11
#: Most steps of one attempt to close; predicted gains below this part of ½ |e|² are a place of least error.
STEPS, GAIN = 1000, 1e-12
#: Where so many steps have not closed the errors, the place is nearly singular, and the equations are solved without
#: the squares of singular values: those of JJᵀ below 1e-11 of the largest would be lost.
PATIENCE = 20
#: singular values below this part of the largest are rounding
NOTHING = 1e-14
#: Steps are at most this long [rad].
LONGEST = 1.0
#: A step that lowers ½ |e|² by this part of what was predicted at least lets the damping fall to this part.
GOOD, LESS = 0.9, 0.05
#: first damping, and the one beyond which no step is any use, as parts of the largest diagonal of J M Jᵀ
FIRST, LARGEST = 1e-3, 1e10
#: The nearest place is reached when the projected way to the goal is below this [rad]; most steps towards it, most
#: corrections that close one of them, and the longest one [rad].
NEAREST, TOWARDS, CORRECTIONS, FARTHEST = 1e-9, 200, 8, 0.5
#: A solution farther from the goal than this [rad] may have come past a nearer one: so many attempts look for that.
FAR, FURTHER = 1.0, 6


@called(None)
def _exact_least_error(s):
    """The step as the one of least norm (M^(−1/2) y, z) of J y + √μ z = −e, by singular values."""
    m, n, largest = s.e.shape[0], s.step.shape[0], 0.0
    for i in range(m):
        total = 0.0
        for j in range(n):
            s.C[i, j] = 0.0 if s.fixed[j] != 0 else s.J[i, j] * math.sqrt(s.ease[j])
            total += s.C[i, j] * s.C[i, j]
        largest = max(largest, total)
    for i in range(m):
        for k in range(m):
            s.C[i, n + k] = math.sqrt(s.progress.damping * largest) if k == i else 0.0
        s.y[i] = -s.e[i]
    least_norm(s.C, s.y, NOTHING, s.longer)
    for j in range(n):
        s.step[j] = s.longer[j] * math.sqrt(s.ease[j]) if s.fixed[j] == 0 else 0.0


@called(None)
def _least_error(s):
    """Fill `step` with that of Levenberg and Marquardt from x."""
    n = s.step.shape[0]
    for j in range(n):
        s.fixed[j] = 0
    for _ in range(n + 1):
        if s.progress.steps > PATIENCE:
            _exact_least_error(s)
        else:
            for i in range(s.e.shape[0]):
                s.y[i] = s.e[i]
            solve(s, s.J, s.y, s.ease, s.progress.damping)
            for j in range(n):
                s.step[j] = 0.0
                if s.fixed[j] == 0 and s.ease[j] != 0.0:
                    for i in range(s.e.shape[0]):
                        s.step[j] += s.ease[j] * s.J[i, j] * s.y[i]
        if not fix_at_limits(s, s.x):
            break


@called(int)
def _close(s):
    """Set `trial` to the next one on the way to e = 0."""
    p = s.progress
    _least_error(s)
    share, after = room_for_step(s, s.x, LONGEST), 0.0
    for j in range(s.step.shape[0]):
        s.step[j] *= share
    for i in range(s.e.shape[0]):
        off = s.e[i]
        for j in range(s.step.shape[0]):
            off += s.J[i, j] * s.step[j]
        after += 0.5 * off * off
    p.predicted = p.cost - after
    if not p.predicted > GAIN * p.cost and share > 0.0:
        return _failed(s)
    put_within(s, s.x)
    return 1


@called(int)
def _failed(s):
    """End an attempt without a solution, at the nearest place that it found."""
    p = s.progress
    if largest_of(s.e) <= ROUNDING:
        return _closed(s)
    if p.found == 0 and p.cost < p.least:
        p.least = p.cost
        for i in range(s.x.shape[0]):
            s.best[i] = s.x[i]
    return _next_attempt(s)


@called(int)
def _next_attempt(s):
    """Begin anew at the next start; 0 if there is none."""
    p = s.progress
    if p.attempt >= p.most:
        return 0
    for j in range(s.step.shape[0]):
        at, wide = s.at_q[j], s.starts[p.attempt, s.step.shape[0]]
        low, high = -wide, wide
        if at >= 0:
            low, high = max(low, s.lower[j] - s.first[at]), min(high, s.upper[j] - s.first[at])
        s.step[j] = 0.0 if s.ease[j] == 0.0 else low + s.starts[p.attempt, j] * (high - low)
    put_within(s, s.first)
    p.attempt += 1
    p.phase = BEGIN
    return 1


@called(float)
def _distance(s, x):
    """Σ wⱼ (x ⊖ r)ⱼ²; r ⊖ x in `away`."""
    total = 0.0
    increment(s.links.joints, x, s.goal, s.away)
    for j in range(s.away.shape[0]):
        if s.ease[j] == 0.0:
            s.away[j] = 0.0
        else:
            total += s.away[j] * s.away[j] / s.eased[j]
    return total


@called(int)
def _closed(s):
    """x closes the errors: go on towards the goal."""
    p = s.progress
    p.phase, p.sweeps, p.share, p.distance = REFINE, 0, 1.0, _distance(s, s.x)
    for j in range(s.moved.shape[0]):
        s.moved[j] = 0.0
    return _towards(s)


@called(None)
def _projected(s):
    """Fill `step` with the way to the goal, projected onto the motions that keep e = 0 and limits."""
    n = s.step.shape[0]
    _distance(s, s.x)
    for j in range(n):
        s.fixed[j] = 0
    for _ in range(n + 1):
        for i in range(s.e.shape[0]):
            s.y[i] = 0.0
            for j in range(n):
                if s.fixed[j] == 0:
                    s.y[i] += s.J[i, j] * s.away[j]
        solve(s, s.J, s.y, s.eased, 0.0)
        for j in range(n):
            s.step[j] = 0.0
            if s.fixed[j] == 0 and s.ease[j] != 0.0:
                s.step[j] = s.away[j]
                for i in range(s.e.shape[0]):
                    s.step[j] += s.eased[j] * s.J[i, j] * s.y[i]
        if not fix_at_limits(s, s.x):
            break


@called(int)
def _towards(s):
    """Set `trial` to the next place on the way to the goal; ends the attempt where none is nearer."""
    p, n = s.progress, s.step.shape[0]
    _projected(s)
    top, bottom, largest = 0.0, 0.0, 0.0
    for j in range(n):
        largest = max(largest, abs(s.step[j]))
        if s.ease[j] != 0.0:
            top += s.moved[j] * s.moved[j] / s.eased[j]
            bottom += s.moved[j] * (s.before[j] - s.step[j]) / s.eased[j]
    if largest <= NEAREST or p.sweeps >= TOWARDS:
        return _finished(s)
    if top > 0.0:
        p.share = min(max(top / bottom, 0.05), 20.0) if bottom > 0.0 else 1.0
    p.sweeps += 1
    for j in range(n):
        s.before[j] = s.step[j]
        s.step[j] *= p.share
    return _try_share(s)


@called(int)
def _try_share(s):
    """Set `trial` to x moved by `step`, up to the first limit."""
    share = room_for_step(s, s.x, FARTHEST)
    for j in range(s.step.shape[0]):
        s.moved[j] = s.step[j] = share * s.step[j]
    s.progress.steps = 0
    put_within(s, s.x)
    return 1


@called(int)
def _refine(s):
    """Close `trial` again; take it if it is nearer to the goal, else go half as far."""
    p, n = s.progress, s.step.shape[0]
    off = largest_of(s.e_trial)
    if off <= CLOSED or (off <= ROUNDING and p.steps >= CORRECTIONS):
        distance = _distance(s, s.trial)
        if distance < p.distance:
            p.distance = distance
            take_trial(s)
            return _towards(s)
    elif p.steps < CORRECTIONS and off < 1.0:
        p.steps += 1
        for i in range(s.e.shape[0]):
            s.y[i] = s.e_trial[i]
        solve(s, s.J_trial, s.y, s.ease, 0.0)
        for j in range(n):
            s.step[j] = 0.0
            if s.fixed[j] == 0 and s.ease[j] != 0.0:
                for i in range(s.e.shape[0]):
                    s.step[j] += s.ease[j] * s.J_trial[i, j] * s.y[i]
        put_within(s, s.trial)
        return 1
    largest = 0.0
    for j in range(n):
        s.step[j] = 0.5 * s.moved[j]
        largest = max(largest, abs(s.step[j]))
    return _finished(s) if largest <= NEAREST else _try_share(s)


@called(int)
def _finished(s):
    """Keep a solution if it is the nearest one of all attempts; where the first one is near enough, it is the last."""
    p = s.progress
    if p.found == 0 or p.distance < p.least:
        p.found, p.least = 1 + p.attempt, p.distance
        for i in range(s.x.shape[0]):
            s.best[i] = s.x[i]
    if p.attempt == 0:
        p.most = 0 if p.distance <= FAR * FAR else min(FURTHER, s.starts.shape[0])
    return _next_attempt(s)


@called(int)
def advance(s):
    """Take the equations at `trial`, and set it to the next one; 0 at the end, when `best` is what was found."""
    p = s.progress
    p.total += 1
    if p.phase == REFINE:
        return _refine(s)
    cost = half_square(s.e_trial)
    if p.phase == BEGIN:
        p.phase, p.steps, p.damping, p.growth, p.cost = CLOSE, 0, FIRST, 2.0, cost
        take_trial(s)
    else:
        p.steps += 1
        gain = (p.cost - cost) / p.predicted if p.predicted > 0.0 else 0.0
        if gain > 1e-4:
            p.cost = cost
            p.damping *= LESS if gain > GOOD else max(1.0 / 3.0, 1.0 - (2.0 * gain - 1.0) ** 3)
            p.growth = 2.0
            take_trial(s)
        else:
            p.damping = max(p.damping, 1e-15) * p.growth
            p.growth *= 2.0
    if largest_of(s.e) <= CLOSED:
        return _closed(s)
    if p.steps >= STEPS or p.damping > LARGEST or not p.cost < math.inf:
        return _failed(s)
    return _close(s)


@called(None)
def begin(s, start):
    """Begin the search at joint coordinates `start` (nq,)."""
    p = s.progress
    p.phase, p.attempt, p.most, p.found, p.total, p.least = BEGIN, 0, s.starts.shape[0], 0, 0, math.inf
    for i in range(start.shape[0]):
        s.trial[i] = s.best[i] = s.first[i] = start[i]
