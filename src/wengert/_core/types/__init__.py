"""What an element is and where: dtypes with torch's promotion, sizes, the one device."""
