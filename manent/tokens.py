"""How many tokens a text costs: an estimate that needs nothing, or an exact count."""
