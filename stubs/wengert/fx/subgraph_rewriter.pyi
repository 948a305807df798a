# Made by tools/make_stub.py; do not edit.
from wengert._torch.fx.subgraph_rewriter import (
    Filter as Filter,
    Match as Match,
    ReplacedPatterns as ReplacedPatterns,
    first_user as first_user,
    graph_of as graph_of,
    inner as inner,
    is_closed as is_closed,
    match_at as match_at,
    matches_in as matches_in,
    outputs as outputs,
    parameters as parameters,
    replace as replace,
    replace_pattern as replace_pattern,
    replace_pattern_with_filters as replace_pattern_with_filters,
    result_nodes as result_nodes,
    same as same,
)
