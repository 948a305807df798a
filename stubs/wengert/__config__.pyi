# Made by tools/make_stub.py; do not edit.
from wengert._torch.__config__ import (
    parallel_info as parallel_info,
    show as show,
)
