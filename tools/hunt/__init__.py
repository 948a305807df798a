"""What `make hunt` runs: searches for crashes, hangs, damage and differences, each a module of its own.

A hunt is a module with `NAME` and `hunt(seconds, seed)`, which gives the number of tries and its findings, each a text
that says what happened and reproduces it. `python tools/hunt/<name>.py [SECONDS] [SEED]` runs one alone.
"""
