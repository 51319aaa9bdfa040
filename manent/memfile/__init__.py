"""Memory files of agents: what they cost, what is wrong with them, how they are split."""
