"""Small motions about rest and about steady rotation: frequencies, shapes, critical speeds."""
