"""What waits in quarantine, and the Changes that let it out or take it away."""
