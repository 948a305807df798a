# Made by tools/make_stub.py; do not edit.
from multiprocessing import *
from wengert._torch.multiprocessing import (
    get_all_sharing_strategies as get_all_sharing_strategies,
    get_sharing_strategy as get_sharing_strategy,
    set_sharing_strategy as set_sharing_strategy,
    spawn as spawn,
)
