# Made by tools/make_stub.py; do not edit.
from wengert._torch.cuda.nvtx import (
    mark as mark,
    range as range,
    range_end as range_end,
    range_pop as range_pop,
    range_push as range_push,
    range_start as range_start,
)
