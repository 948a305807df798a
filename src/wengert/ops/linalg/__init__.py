"""Products of vectors and matrices."""
