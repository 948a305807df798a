# Made by tools/make_stub.py; do not edit.
from wengert._torch._inductor import (
    SAYS as SAYS,
    compile as compile,
    config as config,
    cudagraph_mark_step_begin as cudagraph_mark_step_begin,
    list_mode_options as list_mode_options,
    list_options as list_options,
    standalone_compile as standalone_compile,
)
