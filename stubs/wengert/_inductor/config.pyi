# Made by tools/make_stub.py; do not edit.
from wengert._torch._inductor.config import (
    Any as Any,
    GROUPS as GROUPS,
    Iterator as Iterator,
    ModuleType as ModuleType,
    Settings as Settings,
    SimpleNamespace as SimpleNamespace,
    contextmanager as contextmanager,
    patch as patch,
    settings as settings,
    sys as sys,
)
