"""What `tools/parity.py` is made of: torch and wengert run the same programs, and every difference is reported."""
