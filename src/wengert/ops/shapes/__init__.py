"""Shapes: views, parts, rearrangements and joins of elements."""
