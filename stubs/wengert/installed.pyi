# Made by tools/make_stub.py; do not edit.
from wengert._torch.installed import (
    Distribution as Distribution,
    Installed as Installed,
    Path as Path,
    os as os,
)
