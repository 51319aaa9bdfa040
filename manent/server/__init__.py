"""``manent serve``: the brain over MCP, with identities, Views and gated writes."""
