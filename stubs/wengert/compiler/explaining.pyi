# Made by tools/make_stub.py; do not edit.
from wengert._torch.compiler.explaining import (
    KINDS as KINDS,
    explain as explain,
    place_of as place_of,
    told as told,
)
