"""Search: tokens, postings, ranking, and what of a note a hit shows."""
