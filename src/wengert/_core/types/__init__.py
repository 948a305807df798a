"""Dtypes with torch's promotion, sizes and devices."""
