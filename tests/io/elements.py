"""Elements of URDF files."""

from __future__ import annotations


def link(name, mass=1.0, center="0 0 0", inertia=(0.1, 0.1, 0.1), more=""):
    xx, yy, zz = inertia
    own = f'<mass value="{mass}"/><inertia ixx="{xx}" ixy="0" ixz="0" iyy="{yy}" iyz="0" izz="{zz}"/>'
    return f'<link name="{name}"><inertial><origin xyz="{center}"/>{own}</inertial>{more}</link>'


def empty(name, more=""):
    return f'<link name="{name}">{more}</link>'


def joint(name, kind, parent, child, xyz="0 0 0", axis="0 0 1", more=""):
    ends = f'<parent link="{parent}"/><child link="{child}"/><origin xyz="{xyz}"/><axis xyz="{axis}"/>'
    return f'<joint name="{name}" type="{kind}">{ends}{more}</joint>'


PENDULUM = (empty("base"), link("bob", 2.0, "0 0 -0.5", (0.02, 0.02, 0.01)))
