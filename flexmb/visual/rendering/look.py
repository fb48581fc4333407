"""Colors of pictures in space, on light and on dark ground."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

#: colors of quantities that have one sign, low to high; all are easy to see on both grounds
ONE_SIGN = ("#3a66c4", "#2f9db5", "#5fbf7a", "#e9c53e", "#ea7d32", "#c22f45")
#: colors of quantities that have both signs; the middle one is zero
TWO_SIGNS = ("#2346a0", "#4a8fd9", "#b9c9d6", "#e58a4e", "#b02a2a")

#: colors of pieces by their role, on light and on dark ground
ROLES = {
    "beam": ("#2b62a8", "#69a5ea"),
    "joint": ("#33404c", "#dfe6ec"),
    "rod": ("#5c6670", "#a9b4be"),
    "arm": ("#6d7a86", "#8f9ca8"),
    "spring": ("#56789a", "#9cb8d3"),
    "motor": ("#8a3b8f", "#cf86dc"),
    "rotor": ("#b06cb4", "#b06cc0"),
    "bushing": ("#4d5560", "#99a4ae"),
    "rail": ("#b9c3cc", "#5a6874"),
    "ground": ("#c3ccd4", "#56636f"),
    "hatch": ("#8a97a3", "#75828e"),
    "force": ("#d1472b", "#ff7d5c"),
    "torque": ("#8a3b8f", "#d590e2"),
    "reaction": ("#1f9070", "#52d6ab"),
    "trail": ("#b8902a", "#e6c05c"),
    "axis x": ("#c8372d", "#ff7566"),
    "axis y": ("#2c8a3d", "#63cf78"),
    "axis z": ("#2f5fd0", "#7aa5ff"),
    "orbit x": ("#c8372d", "#ff7566"),
    "orbit y": ("#2c8a3d", "#63cf78"),
    "orbit z": ("#2f5fd0", "#7aa5ff"),
    "sun": ("#e0a100", "#ffd24a"),
}


@dataclass(frozen=True)
class Look:
    """The colors of pictures on one ground: `background`, `ink` of writing, `quiet` of minor lines, `roles` of pieces
    by their role, and `bodies` as a cycle; `ambient`: the brightness of a surface without light; `pale`: the part of
    its color that a ghost keeps."""

    name: str
    background: str
    ink: str
    quiet: str
    roles: dict[str, str]
    bodies: tuple[str, ...]
    ambient: float
    pale: float

    def color(self, role: str, number: int = 0) -> str:
        """The color of a piece of a role; `number` says which of the colors of bodies."""
        if role == "mark":
            return self.marks[number % len(self.bodies)]
        return self.bodies[number % len(self.bodies)] if role == "body" else self.roles[role]

    @property
    def marks(self) -> tuple[str, ...]:
        """The colors of marks on bodies: those of the bodies, darker."""
        parts = np.rint([0.52 * 255.0 * rgb(color) for color in self.bodies]).astype(int)
        return tuple("#{:02x}{:02x}{:02x}".format(*part) for part in parts)


LOOKS = {
    "light": Look(
        "light", background="#ffffff", ink="#22303c", quiet="#8a97a3",
        roles={role: light for role, (light, _) in ROLES.items()},
        bodies=("#8fa9c0", "#c9ad7f", "#97b79a", "#b3a1c6", "#c79a90"), ambient=0.30, pale=0.38,
    ),
    "dark": Look(
        "dark", background="#11171d", ink="#e8eef3", quiet="#7d8a96",
        roles={role: dark for role, (_, dark) in ROLES.items()},
        bodies=("#7f9dba", "#bfa06c", "#86ad8b", "#a792bf", "#bd8b80"), ambient=0.22, pale=0.48,
    ),
}  # fmt: skip


def color_map(both_signs: bool) -> Any:
    """The color map of a quantity."""
    from flexmb.plots.figures import blended

    return blended(*(TWO_SIGNS if both_signs else ONE_SIGN))


def rgb(color: str) -> np.ndarray:
    """'#rrggbb' as numbers (3,) from 0 to 1."""
    return np.array([int(color[k : k + 2], 16) for k in (1, 3, 5)]) / 255.0


def faded(colors: np.ndarray, background: str, left: float) -> np.ndarray:
    """Colors (…, 3) blended with a background, of which only the part `left` remains."""
    return left * colors + (1.0 - left) * rgb(background)
