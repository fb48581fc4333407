"""The same mechanism by other roads: a model as a tree of links and joints, in joint coordinates."""
