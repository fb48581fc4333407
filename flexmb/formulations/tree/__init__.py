"""A model as a tree of links and joints: graph, flat arrays, joint coordinates, poses of links, loop closure."""
