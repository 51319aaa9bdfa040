"""Short lists for a person: copies, contradictions, missing maps. Nothing here decides.

Reports take a View and return rows; actions return Changes for the gate.
"""
