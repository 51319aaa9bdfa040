"""Notes: bytes to frontmatter and body, and back exactly.

`read` never raises; `edit` changes the lines of the keys it is given and no
other byte; the views of `fields` say what loosely written values mean.
"""

from manent.note.editing import edit
from manent.note.fields import aliases, date, labels, names, tags, title
from manent.note.handler import StrictYAMLHandler
from manent.note.reading import Header, Note, Problem, read

__all__ = [
    "Header",
    "Note",
    "Problem",
    "StrictYAMLHandler",
    "aliases",
    "date",
    "edit",
    "labels",
    "names",
    "read",
    "tags",
    "title",
]
