"""The cubic with given values and slopes at 0 and 1, in compiled code: where it goes through zero."""

from __future__ import annotations

from flexmb.kernels.compilation import called, inlined

#: parts of [0, 1] in which passages are looked for, halvings that locate one, and iterations of Newton's method
PARTS, HALVINGS, ITERATIONS = 32, 60, 32
#: step of the difference that gives the slope
STEP = 1e-3


@inlined
def cubic(p0, r0, p1, r1, x):
    """The cubic with the values p and slopes r at 0 and 1."""
    y = 1.0 - x
    return y * y * ((1.0 + 2.0 * x) * p0 + x * r0) + x * x * ((3.0 - 2.0 * x) * p1 - y * r1)


@called(float)
def first_passage(p0, r0, p1, r1, direction):
    """Where in [0, 1] the cubic with values p and slopes r at the ends first goes through zero in a direction; −1 if
    nowhere.

    >>> round(first_passage(1.0, -4.0, 1.0, 4.0, -1.0), 12), first_passage(1.0, -1.0, 1.0, 1.0, -1.0)
    (0.5, -1.0)
    """
    before = direction * p0
    for part in range(1, PARTS + 1):
        x = part / PARTS
        value = direction * cubic(p0, r0, p1, r1, x)
        if before < 0.0 <= value:
            low, high = (part - 1) / PARTS, x
            for _ in range(HALVINGS):
                middle = 0.5 * (low + high)
                if direction * cubic(p0, r0, p1, r1, middle) < 0.0:
                    low = middle
                else:
                    high = middle
            return high
        before = value
    return -1.0


@called(float)
def root_beyond(p0, r0, p1, r1):
    """Where the cubic goes through zero beyond 1, by Newton's method from there.

    >>> round(root_beyond(1.0, 0.0, 0.75, -0.5), 12)  # of 1 − x²/4
    2.0
    """
    x = 1.0
    for _ in range(ITERATIONS):
        slope = (cubic(p0, r0, p1, r1, x + STEP) - cubic(p0, r0, p1, r1, x - STEP)) / (2.0 * STEP)
        x -= cubic(p0, r0, p1, r1, x) / slope
    return x
