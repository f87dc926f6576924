"""Where memory is kept: the database, the search index, the Markdown mirror."""
