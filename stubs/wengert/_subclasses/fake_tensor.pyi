# Made by tools/make_stub.py; do not edit.
from wengert._torch._subclasses.fake_tensor import (
    CPU as CPU,
    DATA_DEPENDENT as DATA_DEPENDENT,
    DYNAMIC as DYNAMIC,
    DataDependentOutputException as DataDependentOutputException,
    DynamicOutputShapeException as DynamicOutputShapeException,
    FakeTensor as FakeTensor,
    FakeTensorMode as FakeTensorMode,
    UnsupportedFakeTensorException as UnsupportedFakeTensorException,
    UnsupportedOperatorException as UnsupportedOperatorException,
    is_fake as is_fake,
    maybe_get_fake_mode as maybe_get_fake_mode,
    place_of as place_of,
    refuse_values as refuse_values,
    unset_fake_temporarily as unset_fake_temporarily,
)
