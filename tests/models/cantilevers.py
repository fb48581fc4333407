"""Numbers of cantilevers from tables."""

from __future__ import annotations

import numpy as np

#: roots of cosh λ cos λ = −1, as printed in tables
CANTILEVER = np.array([1.8751040687, 4.6940911330, 7.8547574382])
