"""Mathematics without mechanics: factorisations, null spaces, differences, iterations."""
