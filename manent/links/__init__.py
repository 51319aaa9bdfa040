"""What a note's body points at, and which note a link means."""
