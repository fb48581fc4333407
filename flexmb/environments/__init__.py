"""Environments for learning controllers, for gymnasium: one mechanism, or many copies of it in threads.

Importing this room registers `flexmb/TwoLinkArm-v0` and `flexmb/RigidArm-v0`, if gymnasium is installed.
"""

from importlib.util import find_spec

from flexmb.machine.late_names import late_names

if find_spec("gymnasium") is not None:
    from flexmb.environments.registered import register_all

    register_all()

__getattr__, __dir__, __all__ = late_names(__name__, __file__)
