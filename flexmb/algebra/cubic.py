"""The cubic with given values and slopes at 0 and 1, and its zeros, in compiled code."""

from __future__ import annotations

from flexmb.kernels.compilation import called, inlined

#: number of intervals of [0, 1] that are searched for zeros, of halvings that locate one, of iterations of Newton's
#: method
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
    """The first x in [0, 1] at which the cubic with values p and slopes r at the ends passes through zero in a
    direction (1 or −1); −1 if there is none.

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
    """The zero of the cubic beyond 1, by Newton's method from x = 1.

    >>> round(root_beyond(1.0, 0.0, 0.75, -0.5), 12)  # of 1 − x²/4
    2.0
    """
    x = 1.0
    for _ in range(ITERATIONS):
        slope = (cubic(p0, r0, p1, r1, x + STEP) - cubic(p0, r0, p1, r1, x - STEP)) / (2.0 * STEP)
        x -= cubic(p0, r0, p1, r1, x) / slope
    return x
