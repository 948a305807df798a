# Made by tools/make_stub.py; do not edit.
from wengert._torch._functorch.make_functional import (
    FunctionalModule as FunctionalModule,
    FunctionalModuleWithBuffers as FunctionalModuleWithBuffers,
    combine_state_for_ensemble as combine_state_for_ensemble,
    make_functional as make_functional,
    make_functional_with_buffers as make_functional_with_buffers,
)
