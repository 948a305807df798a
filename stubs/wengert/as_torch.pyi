# Made by tools/make_stub.py; do not edit.
from wengert._torch.as_torch import (
    ALONE as ALONE,
    ALONE_OPTIONS as ALONE_OPTIONS,
    Finder as Finder,
    HOLLOW as HOLLOW,
    Mirror as Mirror,
    OWN as OWN,
    PACKAGE as PACKAGE,
    Torch as Torch,
    WITH_VALUE as WITH_VALUE,
    install_as_torch as install_as_torch,
    is_python_option as is_python_option,
    main as main,
    python_options as python_options,
)
