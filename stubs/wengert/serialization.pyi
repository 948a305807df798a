# Made by tools/make_stub.py; do not edit.
from wengert._torch.serialization import (
    DEFAULT_PROTOCOL as DEFAULT_PROTOCOL,
    FILE_LIKE as FILE_LIKE,
    FileLike as FileLike,
    MAP_LOCATION as MAP_LOCATION,
    _safe_globals as _safe_globals,
    add_safe_globals as add_safe_globals,
    clear_safe_globals as clear_safe_globals,
    get_safe_globals as get_safe_globals,
    get_unsafe_globals_in_checkpoint as get_unsafe_globals_in_checkpoint,
    load as load,
    safe_globals as safe_globals,
    save as save,
)
