"""What all joints share whose bodies touch and are held together by their rows: in the plane and in space.

The row 'normal' keeps the surfaces in touch, with n off the surface of a and towards b: the force on b is −λ n. No
surface can pull. A row can, so a joint that had to pull is a doubt; it never lets go by itself.
"""

from __future__ import annotations

import numpy as np

from flexmb.errors import ModelError
from flexmb.model.doubted import Doubt
from flexmb.model.pairs import PairComponent

#: name of the row by which surfaces touch
NORMAL = "normal"
#: names of the rows by which they do not slip
ACROSS = ("ahead", "aside", "around", "along")
#: at the start the surfaces touch to this, in radii; what is left is brought together
TOUCHING = 0.02


def refuse_gap(joint: PairComponent, gap: float, radius: float, b: str, a: str) -> None:
    """Refuse surfaces that have a gap [m] at the start; `b` and `a` say what touches what, in messages."""
    if abs(gap) > TOUCHING * radius:
        how = f"ends {gap:.6g} m above" if gap > 0.0 else f"reaches {-gap:.6g} m below"
        raise ModelError(
            f"{joint.where}: at the start {b} of frame {joint.b.name!r} {how} {a} of frame {joint.a.name!r}; move it "
            "until they touch, or give another radius"
        )


def pulling(where: str, normal: np.ndarray, least: float) -> list[Doubt]:
    """A doubt if surfaces would have to pull by more than a least force [N], by the multipliers λ (k,) of their row
    'normal'."""
    pulls = np.flatnonzero(normal > least)
    if not len(pulls):
        return []
    most = float(np.max(normal))
    text = f"{where}: its surfaces would have to pull, by up to {most:.3g} N, to stay in touch; they would come apart"
    return [Doubt(int(pulls[0]), text)]


def friction_needed(multipliers: np.ndarray, rows: list[str]) -> np.ndarray:
    """The force that keeps surfaces from slipping as a part (k,) of the normal force, by the multipliers (k, rows) of a
    joint whose first row is 'normal'; moments are left out."""
    across = [k for k, name in enumerate(rows) if name in ACROSS]
    return np.asarray(np.linalg.norm(multipliers[:, across], axis=1) / np.abs(multipliers[:, 0]))
