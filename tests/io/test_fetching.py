"""Files that are fetched, from a server of the test's own."""

from __future__ import annotations

import contextlib
import hashlib
import io
import socket
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.error import HTTPError, URLError

import pytest

import wengert as wg
from wengert.io import fetching


def bytes_of(value):
    file = io.BytesIO()
    wg.save(value, file)
    return file.getvalue()


WEIGHTS = bytes_of({"weight": wg.tensor([1.0, 2.0])})
DIGEST = hashlib.sha256(WEIGHTS).hexdigest()


class Handler(BaseHTTPRequestHandler):
    """Answers with the weights; `/broken` promises more than it sends, `/missing` is refused."""

    def do_GET(self):
        self.server.asked.append(self.path)
        self.send_response(404 if self.path == "/missing" else 200)
        self.send_header("Content-Length", str(len(WEIGHTS) + 10 * (self.path == "/broken")))
        self.end_headers()
        self.wfile.write(WEIGHTS)

    def log_message(self, *args):
        pass


@pytest.fixture
def server():
    with HTTPServer(("127.0.0.1", 0), Handler) as found:
        found.asked = []
        thread = threading.Thread(target=found.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        found.url = f"http://127.0.0.1:{found.server_port}"
        yield found
        found.shutdown()
        thread.join()


def test_weights_are_fetched_once(server, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("TORCH_HOME", str(tmp_path))
    url = f"{server.url}/models/net-{DIGEST[:8]}.pt?query=1"
    for _ in range(2):
        found = wg.hub.load_state_dict_from_url(url, check_hash=True, progress=False)
        assert found["weight"].tolist() == [1.0, 2.0]
    path = tmp_path / "hub" / "checkpoints" / f"net-{DIGEST[:8]}.pt"
    assert path.read_bytes() == WEIGHTS and len(server.asked) == 1
    assert capsys.readouterr().err == f'Downloading: "{url}" to {path}\n'


def test_the_folder_and_the_name_can_be_chosen(server, tmp_path):
    assert wg.utils.model_zoo.__all__ == ["load_url"]
    wg.utils.model_zoo.load_url(f"{server.url}/a.pt", model_dir=tmp_path / "new", file_name="b.pt", progress=False)
    assert [each.name for each in (tmp_path / "new").iterdir()] == ["b.pt"]


def test_a_wrong_checksum_leaves_what_was_there(server, tmp_path):
    (tmp_path / "file").write_text("before")
    with pytest.raises(RuntimeError, match=f'invalid hash value \\(expected "abc", got "{DIGEST}"\\)'):
        wg.hub.download_url_to_file(f"{server.url}/x", str(tmp_path / "file"), "abc", progress=False)
    assert [each.read_text() for each in tmp_path.iterdir()] == ["before"]


def test_a_name_with_another_checksum_is_refused(server, tmp_path):
    with pytest.raises(RuntimeError, match="invalid hash value"):
        wg.hub.load_state_dict_from_url(f"{server.url}/net-00000000.pt", tmp_path, check_hash=True, progress=False)
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_does_not_arrive_whole_is_refused(server, tmp_path):
    with pytest.raises(URLError, match=f"{len(WEIGHTS)} of {len(WEIGHTS) + 10} bytes"):
        wg.hub.download_url_to_file(f"{server.url}/broken", str(tmp_path / "file"), progress=False)
    assert list(tmp_path.iterdir()) == []


def test_what_the_server_refuses_is_its_answer(server, tmp_path):
    with pytest.raises(HTTPError, match="404"):
        wg.hub.load_state_dict_from_url(f"{server.url}/missing", tmp_path, progress=False)


def test_without_a_connection_the_error_says_which_file_to_put_where(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # nobody listens there
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/net.pt"
        with pytest.raises(URLError) as caught:
            wg.hub.load_state_dict_from_url(url, str(tmp_path), progress=False)
    assert f"{url} cannot be fetched; put that file at {tmp_path / 'net.pt'} yourself" in str(caught.value)


@pytest.mark.parametrize("installed", [True, False])
def test_progress_is_shown_with_tqdm_and_without(server, tmp_path, monkeypatch, capsys, installed):
    if not installed:
        monkeypatch.setitem(sys.modules, "tqdm", None)
    fetching.fetch(f"{server.url}/x", tmp_path / "file")
    assert "100" in capsys.readouterr().err


def test_the_folder_of_torch_is_that_of_the_environment(monkeypatch, tmp_path):
    monkeypatch.delenv("TORCH_HOME", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert wg.hub._get_torch_home() == str(tmp_path / "torch")
    with contextlib.ExitStack() as stack:
        stack.callback(wg.hub._set.clear)
        wg.hub.set_dir(tmp_path / "mine")
        assert wg.hub.get_dir() == str(tmp_path / "mine")
