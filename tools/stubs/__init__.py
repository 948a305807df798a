"""What `tools/make_stub.py` is made of: the words of the stubs, signatures read from cards, and the three files."""
