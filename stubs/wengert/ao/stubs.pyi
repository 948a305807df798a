# Made by tools/make_stub.py; do not edit.
from wengert._torch.ao.stubs import (
    DeQuantStub as DeQuantStub,
    QuantStub as QuantStub,
    QuantWrapper as QuantWrapper,
)
