# Made by tools/make_stub.py; do not edit.
from wengert._torch.compiler.timing import (
    SAMPLES as SAMPLES,
    Stopwatch as Stopwatch,
    TRIALS as TRIALS,
)
