"""Personal data: addresses, telephone numbers, accounts, cards, national numbers."""
