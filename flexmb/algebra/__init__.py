"""Mathematics without mechanics: factorizations, null spaces, differences, iterations."""
