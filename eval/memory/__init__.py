"""What the memory tools say, measured: token estimates, kinds and volatility of sections."""
