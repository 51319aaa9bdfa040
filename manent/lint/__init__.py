"""Rules over the notes of a vault, and what they found."""
