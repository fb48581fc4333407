"""Full models of bodies: finite elements, matrices of files, sets of nodes."""
