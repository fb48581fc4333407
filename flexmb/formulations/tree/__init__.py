"""A model as a tree of links and joints: its graph, its arrays, joint coordinates and places, its loops."""
