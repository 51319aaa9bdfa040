"""Every rule, in the order of the specification: errors, warnings, info, content."""

from types import ModuleType

from manent.lint.rules import (
    anchor_unresolved,
    audience_leak,
    audience_unknown,
    duplicate_name,
    edge_unresolved,
    encoding,
    feedback_body,
    frontmatter_invalid,
    frontmatter_missing,
    injection,
    link_unresolved,
    name_mismatch,
    orphan,
    path_collision,
    path_unportable,
    pii,
    raw_source_path,
    schema,
    secret,
    supersedes_active,
)

RULES: tuple[ModuleType, ...] = (
    frontmatter_invalid,
    frontmatter_missing,
    schema,
    duplicate_name,
    path_collision,
    path_unportable,
    encoding,
    name_mismatch,
    link_unresolved,
    edge_unresolved,
    feedback_body,
    raw_source_path,
    supersedes_active,
    orphan,
    anchor_unresolved,
    pii,
    secret,
    injection,
    audience_unknown,
    audience_leak,
)
