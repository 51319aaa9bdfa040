"""Signing in over the web: an OAuth 2.1 authorization server for the one owner of a vault.

Whoever signs in shows the vault's token, or an agent's, on a page of this server; the
client gets tokens that are derived from it and end with it.
"""
