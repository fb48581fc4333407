"""Random mechanisms: how they are made, trees, loops, knife edges, sticking joints, pairs of features."""
