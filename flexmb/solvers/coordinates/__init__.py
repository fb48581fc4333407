"""The coordinates in which methods integrate: absolute ones, those of joints, independent ones."""
