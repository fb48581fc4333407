"""How wheels, meshes, places within bodies, contacts and stops are read: the parts of a file that a mechanism need not
have."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from flexmb.bodies.stresses import ElasticCells
from flexmb.forces.contact_force import WIDTH
from flexmb.model.appearance import JOINT_COORDINATES, ContactPlace, MeshPlace, PairPlace, SpinPlace, StopPlace
from flexmb.results.layout import Layout
from flexmb.results.store.file_source import FileSource
from flexmb.results.store.hdf5 import Contents

#: how many parameters tires have, in the plane and in space
PLANAR, SPATIAL = 9, 28


def parts(contents: Contents, group: str) -> Iterator[str]:
    """The numbered parts of a group, in their order."""
    for number in sorted(contents.members(group), key=int):
        yield f"{group}/{number}"


def read_spins(contents: Contents, bodies: Collection[str], coordinates: Collection[str]) -> dict[str, SpinPlace]:
    """How wheels turn, by their names."""
    found = {}
    for at in parts(contents, "spins"):
        body, rotor = (str(contents.attribute(at, what)) for what in ("body", "rotor"))
        if body not in bodies or rotor not in ("", *coordinates):
            raise contents.fail(at, f"says that {body!r} turns by {rotor!r}, and one of them there is not")
        *axis, inertia, transverse, speed = contents.numbers(f"{at}/numbers", (6,)).tolist()
        found[body] = SpinPlace(tuple(axis), inertia, transverse, speed, rotor)
    return found


def read_covers(contents: Contents, bodies: Collection[str]) -> dict[str, tuple[str, ...]]:
    """The beams along which figures bend, by the names of these."""
    found = {}
    for at in parts(contents, "covers"):
        body = str(contents.attribute(at, "body"))
        if body not in bodies:
            raise contents.fail(at, f"says that {body!r} bends along beams, and there is no such figure")
        found[body] = tuple(contents.texts(f"{at}/beams"))
    return found


def read_meshes(
    contents: Contents, bodies: Collection[str], coordinates: Collection[str], dimension: int
) -> dict[str, MeshPlace]:
    """The meshes of bodies that deform, by their names."""
    found = {}
    for at in parts(contents, "meshes"):
        body, modes = str(contents.attribute(at, "body")), contents.texts(f"{at}/modes")
        if body not in bodies or not set(modes) <= set(coordinates):
            raise contents.fail(at, f"says that {body!r} deforms by {', '.join(modes)}, and not all of these there are")
        nodes, n = contents.numbers(f"{at}/nodes", (None, dimension)), len(modes)
        slaves = contents.numbers(f"{at}/slaves", (None, n, n))
        shapes = contents.numbers(f"{at}/shapes", (len(nodes), dimension, n + len(slaves)))
        faces, cells = contents.numbers(f"{at}/faces", (None, 3), "i"), []
        for block in parts(contents, f"{at}/cells"):
            numbers = contents.numbers(f"{block}/nodes", (None, None), "i")
            cells.append((str(contents.attribute(block, "kind")), numbers))
        for numbers in (faces, *(numbers for _, numbers in cells)):
            if np.any(numbers < 0) or np.any(numbers >= len(nodes)):
                raise contents.fail(at, "names nodes that there are not")
        elasticity = [_read_elasticity(contents, one, dimension) for one in parts(contents, f"{at}/elasticity")]
        if elasticity and [x.gradients.shape[1] for x in elasticity] != [x.shape[1] for _, x in cells]:
            raise contents.fail(at, "has the elasticity of other cells")
        left_out = (None, 6, 12) if dimension == 3 else (None, 4, 4)
        widths = {"left_out": left_out, "origin": (dimension,), "orientation": (dimension,) * 2}
        more = {w: contents.numbers(f"{at}/{w}", s) if contents.has(f"{at}/{w}") else None for w, s in widths.items()}
        loaded = bool(contents.attribute(at, "loaded", False))
        found[body] = MeshPlace(
            nodes, tuple(modes), shapes, slaves, faces, tuple(cells), tuple(elasticity), **more, loaded=loaded,
            interfaces=_read_interfaces(contents, f"{at}/interfaces", dimension),
        )  # fmt: skip
    return found


def _read_interfaces(contents: Contents, at: str, d: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Places and axes of interfaces on an undeformed mesh; none where an older file does not say."""
    if not contents.has(f"{at}/names"):
        return {}
    names = contents.texts(f"{at}/names")
    places = contents.numbers(f"{at}/places", (len(names), d))
    axes = contents.numbers(f"{at}/axes", (len(names), d, d))
    return {str(name): (place, own) for name, place, own in zip(names, places, axes)}


def read_interior(contents: Contents, layout: Layout, source: FileSource, k: int) -> None:
    """The places within bodies that have a name and no node, with their motion at k times. A
    body calls them by their numbers."""
    for at in parts(contents, "interior"):
        body, names = str(contents.attribute(at, "name")), contents.texts(f"{at}/frames")
        known = {*layout.inner, *layout.frames, *layout.spatial}
        if body not in layout.bodies or body in source.beams or known & {*names}:
            raise contents.fail(at, f"has places of {body!r} that there are not, or twice")
        layout.inner |= {name: (body, float(place)) for place, name in enumerate(names)}
        motion = contents.numbers(f"{at}/motion", (len(names), k, len(layout.widths.point)))
        source.beams[body] = np.arange(len(names), dtype=float), motion


def _read_elasticity(contents: Contents, at: str, dimension: int) -> ElasticCells:
    """What the stresses of a block of cells follow from."""
    gradients = contents.numbers(f"{at}/gradients", (None, None, dimension))
    q, a = gradients.shape[:2]
    weights, to_nodes = contents.numbers(f"{at}/weights", (q,)), contents.numbers(f"{at}/to_nodes", (a, q))
    lam, mu, across = contents.numbers(f"{at}/constants", (3,)).tolist()
    if not mu > 0.0:
        raise contents.fail(at, f"has a shear modulus of {mu:g} Pa")
    density = contents.numbers(f"{at}/density", (1,)).item() if contents.has(f"{at}/density") else math.nan
    return ElasticCells(gradients, weights, to_nodes, (lam, mu), across, density)


def read_rotors(contents: Contents, pairs: dict[str, PairPlace], coordinates: Collection[str]) -> None:
    """The coordinates that are angles of rotors, for the motors in space."""
    if not contents.has("pairs/rotors"):
        return
    rotors = contents.texts("pairs/rotors", (len(pairs),))
    if not set(rotors) <= {"", *coordinates}:
        raise contents.fail("pairs/rotors", "names coordinates that there are not")
    for name, rotor in zip(pairs, rotors):
        pairs[name] = replace(pairs[name], rotor=rotor)


def read_touches(contents: Contents, pairs: dict[str, PairPlace]) -> None:
    """Contacts, tires, stops and what pulls along a line, for the pairs that they are."""
    for group in ("contacts", "lines", "tires", "stops"):
        for at in parts(contents, group):
            name = str(contents.attribute(at, "pair"))
            if name not in pairs:
                raise contents.fail(f"{at}/pair", "names a pair that there is not")
            if group == "contacts":
                rows = contents.numbers(f"{at}/rows", (None, WIDTH))
                swapped = bool(contents.attribute(at, "swapped"))
                given: Any = {"contact": ContactPlace(tuple(map(tuple, rows.tolist())), swapped)}
            elif group in ("lines", "tires"):
                numbers = contents.numbers(f"{at}/numbers", (None,)).tolist()
                if len(numbers) not in ((0, 1) if group == "lines" else (PLANAR, SPATIAL)):
                    raise contents.fail(f"{at}/numbers", f"has {len(numbers)} numbers")
                given = {group[:-1]: tuple(numbers)}
            else:
                lower, upper, k, n, d = contents.numbers(f"{at}/numbers", (5,)).tolist()
                measure = str(contents.attribute(at, "measure"))
                if measure not in (*JOINT_COORDINATES, "distance"):
                    raise contents.fail(f"{at}/measure", "is none that there is")
                given = {"stop": StopPlace(measure, lower, upper, None if math.isnan(k) else (k, n, d))}
            pairs[name] = replace(pairs[name], **given)
