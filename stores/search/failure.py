"""What can go wrong with an index."""

from __future__ import annotations

from previously.state.errors import PreviouslyError


class SearchError(PreviouslyError):
    """The index can't be read or written; the database is not concerned."""
