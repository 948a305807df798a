"""This hunt alone: `python -m tools.hunt.oracle [SECONDS] [SEED]`."""

from tools.hunt import forked, oracle

forked.main(oracle.hunt)
