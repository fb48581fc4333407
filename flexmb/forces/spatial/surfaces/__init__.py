"""Forces of sunlight and of a thin gas on surfaces in space: plates, faces of bodies, beams."""
