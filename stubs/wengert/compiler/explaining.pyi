# Made by tools/make_stub.py; do not edit.
from wengert._torch.compiler.explaining import (
    KINDS as KINDS,
    MOST_NAMES as MOST_NAMES,
    explain as explain,
    lines_of_list as lines_of_list,
    place_of as place_of,
    told_of_history as told_of_history,
)
