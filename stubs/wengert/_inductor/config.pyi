# Made by tools/make_stub.py; do not edit.
from wengert._torch._inductor.config import (
    GROUPS as GROUPS,
    Settings as Settings,
    patch as patch,
    settings as settings,
    sys as sys,
)
