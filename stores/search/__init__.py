"""Finding turns by what was said: a projection of the database, one index for each space."""
