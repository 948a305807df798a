"""The page of the lists of a compiled function: data that stays data, nothing from elsewhere."""

from __future__ import annotations

import json

from hypothesis import given, strategies as st

from wengert.viz.list_page import write_lists_page

from .test_explorer import Parts


def explained(name: str) -> dict:
    """Return an explanation in which everything has that name."""
    entry = {"kind": "call", "name": name, "file": name, "line": 3, "code": name, "by_python": name, "bytes": 8}
    known = {"entries": [{**entry, "seconds": 1e-6}], "kinds": {"call": 1}, "calls": 7}
    known |= {"constant_bytes": 8, "spare_bytes": 16}
    part = {"nodes": [name], "ordinary": name, "lists": [known]}
    signature = {"lists": [{"call": known, "parts": [part]}], "eager": [name]}
    return {"name": name, "recorded": 1, "signatures": [signature]}


@given(st.text() | st.sampled_from(["</script><script>alert(1)</script>", "<!--", "{{data}}", "\u2028", "\ud800"]))
def test_any_name_is_data_of_the_page(name: str) -> None:
    page = Parts(write_lists_page(explained(name)))
    assert [tag for tag, _ in page.contents] == ["style", "script", "script"]
    assert not set("<>&\u2028\u2029") & set(page.contents[1][1])
    assert json.loads(page.contents[1][1])["signatures"][0]["lists"][0]["call"]["entries"][0]["name"] == name


def test_the_page_needs_nothing_from_elsewhere() -> None:
    text = write_lists_page(explained("f"))
    assert "default-src 'none'" in text and "http" not in text.replace('http-equiv="Content-Security-Policy"', "")
