"""Pages that a host shows beside a tool's answer (MCP Apps): they read, and ask again."""
