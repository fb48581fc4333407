"""The environments that gymnasium knows by name once this room is imported."""

from __future__ import annotations

import gymnasium

#: Names, and the modules that make their tasks; they stand among the examples, and are imported when one is made.
_TASKS = {
    "flexmb/TwoLinkArm-v0": "flexmb.examples.two_link_arm.environment",
    "flexmb/RigidArm-v0": "flexmb.validation.learning.rigid_arm",
}
_MAKING = "flexmb.environments.making"


def register_all() -> None:
    """Register them, unless this has been done."""
    for name, module in _TASKS.items():
        if name not in gymnasium.registry:
            gymnasium.register(
                name, entry_point=f"{_MAKING}:env", vector_entry_point=f"{_MAKING}:vector_env", kwargs={"of": module}
            )
