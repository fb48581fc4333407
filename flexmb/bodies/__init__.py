"""Bodies from finite elements: from matrices to a reduced body, arrays in and arrays out."""

from flexmb.bodies.reduced_body import BodyMesh, Interface, ModalLoad, ReducedBody, UnitLoadStiffness

__all__ = ["BodyMesh", "Interface", "ModalLoad", "ReducedBody", "UnitLoadStiffness"]
