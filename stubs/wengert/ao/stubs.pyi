# Made by tools/make_stub.py; do not edit.
from wengert._torch.ao.stubs import (
    Any as Any,
    DeQuantStub as DeQuantStub,
    Module as Module,
    QuantStub as QuantStub,
    QuantWrapper as QuantWrapper,
)
