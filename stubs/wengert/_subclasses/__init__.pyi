# Made by tools/make_stub.py; do not edit.
from wengert._torch._subclasses import (
    DynamicOutputShapeException as DynamicOutputShapeException,
    FakeTensor as FakeTensor,
    FakeTensorMode as FakeTensorMode,
    UnsupportedFakeTensorException as UnsupportedFakeTensorException,
)
