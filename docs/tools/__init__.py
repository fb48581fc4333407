"""How the site is made: pages that run, their figures, generated pages."""
