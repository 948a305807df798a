"""Make the files of a release ready: equal bytes from equal sources, a list of what they hold, no larger than needed.

`python tools/finish_release.py FILE-OR-FOLDER...` rewrites wheels (`.whl`) and source archives (`.tar.gz`) in place.

- Times are SOURCE_DATE_EPOCH, or that of the last commit, or 1980; order, owners and permissions do not depend on the
  machine either. So two builds of one commit by one compiler are equal to the byte.
- A wheel gets a software bill of materials in CycloneDX's form, `*.dist-info/sboms/wengert.cdx.json` (PEP 770): the
  package, what it brings of others, what it needs.
- A wheel forgets that the interpreted build was asked for when it was made: who installs it has not asked, and is told.
- A wheel is compressed as far as deflate goes: by Zopfli, where that is installed, otherwise by zlib at its highest
  level.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import json
import os
import re
import struct
import subprocess
import sys
import tarfile
import time
import tomllib
import uuid
import zipfile
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
VENDORED = "wengert/viz/page/vendor/VERSIONS.toml"
SOBOL = "wengert/_kernels/sobol.npz"
ASKED = "wengert/_core/_build-interpreted.txt"
FIRST_TIME = 315_532_800  # 1980: no zip archive knows an earlier one
NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "https://pypi.org/project/wengert/")


def epoch() -> int:
    """The time, in seconds since 1970, that all files get."""
    seconds = os.environ.get("SOURCE_DATE_EPOCH", "")
    if not seconds:
        asked = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=ROOT, capture_output=True, text=True)
        seconds = asked.stdout.strip() if asked.returncode == 0 else ""
    return max(int(seconds or FIRST_TIME), FIRST_TIME)


# ---- the bill of materials -------------------------------------------------------------------------------------------


def header(metadata: str, name: str) -> list[str]:
    """All values of a field of a wheel's METADATA."""
    head = metadata.partition("\n\n")[0]
    return re.findall(rf"^{re.escape(name)}: (.*)$", head, re.M)


def component(kind: str, name: str, version: str, licence: str, purl: str, **more: Any) -> dict[str, Any]:
    """One entry of the bill."""
    fields: dict[str, Any] = {"type": kind, "bom-ref": purl or f"{name}@{version}", "name": name, "version": version}
    if licence:
        fields["licenses"] = [{"license": {"id": licence}}]
    return {**fields, **({"purl": purl} if purl else {}), **more}


def bill(metadata: str, contents: dict[str, bytes], when: int) -> bytes:
    """The bill of materials of a wheel, from its METADATA and its files."""
    (name,), (version,) = header(metadata, "Name"), header(metadata, "Version")
    itself = component("library", name, version, "BSD-3-Clause", f"pkg:pypi/{name}@{version}")
    brought, needed = [], []
    if VENDORED in contents:
        for library, entry in sorted(tomllib.loads(contents[VENDORED].decode()).items()):
            own = str(entry["version"])
            brought.append(component("library", library, own, "", f"pkg:npm/{library.replace('@', '%40')}@{own}"))
    if SOBOL in contents:
        data = component("data", "new-joe-kuo-6.21201", "2008", "BSD-3-Clause", "")
        brought.append({**data, "description": "Direction numbers of Sobol' sequences, by S. Joe and F. Y. Kuo"})
    for requirement in header(metadata, "Requires-Dist"):
        if ";" not in requirement:  # not the optional ones
            package, _, wanted = re.match(r"([\w.-]+)(\s*)(.*)", requirement).groups()  # type: ignore[union-attr]
            entry = {
                "type": "library",
                "bom-ref": f"pkg:pypi/{package}",
                "name": package,
                "purl": f"pkg:pypi/{package}",
            }
            needed.append({**entry, "scope": "required", "properties": [{"name": "wengert:versions", "value": wanted}]})
    parts = brought + needed
    digest = hashlib.sha256(json.dumps([itself, parts], sort_keys=True).encode()).hexdigest()
    whole = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(NAMESPACE, digest)}",
        "version": 1,
        "metadata": {
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(when)),
            "lifecycles": [{"phase": "build"}],
            "component": itself,
        },
        "components": parts,
        "dependencies": [{"ref": itself["bom-ref"], "dependsOn": sorted(part["bom-ref"] for part in parts)}],
    }
    return (json.dumps(whole, indent=1, ensure_ascii=False) + "\n").encode()


# ---- wheels ----------------------------------------------------------------------------------------------------------


def deflated(data: bytes) -> bytes:
    """The shortest raw deflate stream of `data` that the tools at hand find."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15, 9)
    packed = packer.compress(data) + packer.flush()
    try:
        import zopfli.zlib
    except ImportError:
        return packed
    better: bytes = zopfli.zlib.compress(data, numiterations=5)[2:-4]  # without zlib's head and checksum
    return min(packed, better, key=len)


def record_line(name: str, data: bytes) -> str:
    """A wheel's RECORD of one file."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}"


def written(files: list[tuple[str, bytes, int]], when: int) -> bytes:
    """A zip archive of (name, bytes, permissions): written by hand, as `zipfile` compresses by zlib only."""
    stamp = time.gmtime(when)
    date = (stamp.tm_year - 1980) << 9 | stamp.tm_mon << 5 | stamp.tm_mday
    clock = stamp.tm_hour << 11 | stamp.tm_min << 5 | stamp.tm_sec // 2
    with ThreadPoolExecutor() as pool:
        packed = list(pool.map(deflated, [data for _, data, _ in files]))
    body, directory = io.BytesIO(), io.BytesIO()
    for (name, data, permissions), short in zip(files, packed):
        method, short = (8, short) if len(short) < len(data) else (0, data)
        encoded = name.encode()
        flags = 0 if name.isascii() else 0x800
        common = struct.pack(
            "<HHHHHIIIHH", 20, flags, method, clock, date, zlib.crc32(data), len(short), len(data), len(encoded), 0
        )
        place = body.tell()
        body.write(b"PK\3\4" + common + encoded + short)
        directory.write(
            b"PK\1\2"
            + struct.pack("<H", 3 << 8 | 20)
            + common
            + struct.pack("<HHHII", 0, 0, 0, (0o100000 | permissions) << 16, place)
            + encoded
        )
    start = body.tell()
    listed = directory.getvalue()
    end = struct.pack("<HHHHIIH", 0, 0, len(files), len(files), len(listed), start, 0)
    return body.getvalue() + listed + b"PK\5\6" + end


def finish_wheel(path: Path, when: int) -> None:
    """Rewrite a wheel."""
    with zipfile.ZipFile(path) as archive:
        contents = {entry.filename: archive.read(entry) for entry in archive.infolist() if not entry.is_dir()}
    (record,) = (name for name in contents if name.endswith(".dist-info/RECORD"))
    contents.pop(ASKED, None)
    folder = record.rpartition("/")[0]
    sbom = f"{folder}/sboms/wengert.cdx.json"
    contents[sbom] = bill(contents[f"{folder}/METADATA"].decode(), contents, when)
    lines = [record_line(name, data) for name, data in sorted(contents.items()) if name != record]
    contents[record] = ("\n".join([*lines, f"{record},,"]) + "\n").encode()
    ordered = sorted(contents, key=lambda name: (name.startswith(folder), name == record, name))
    files = [(name, contents[name], 0o755 if name.endswith((".so", ".pyd")) else 0o644) for name in ordered]
    path.write_bytes(written(files, when))


# ---- source archives -------------------------------------------------------------------------------------------------


def finish_source(path: Path, when: int) -> None:
    """Rewrite a source archive."""
    stream = io.BytesIO()
    with tarfile.open(path) as archive, tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as result:
        for member in sorted(archive.getmembers(), key=lambda member: member.name):
            data = archive.extractfile(member).read() if member.isfile() else b""  # type: ignore[union-attr]
            member.mtime, member.uid, member.gid, member.uname, member.gname = when, 0, 0, "", ""
            member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
            member.pax_headers = {}
            result.addfile(member, io.BytesIO(data) if member.isfile() else None)
    path.write_bytes(gzip.compress(stream.getvalue(), 9, mtime=when))


def main() -> int:
    """Finish what the command names."""
    when = epoch()
    for argument in map(Path, sys.argv[1:]):
        files = sorted([*argument.glob("*.whl"), *argument.glob("*.tar.gz")]) if argument.is_dir() else [argument]
        for path in files:
            before = path.stat().st_size
            (finish_wheel if path.suffix == ".whl" else finish_source)(path, when)
            print(f"{path.name}: {before / 1e6:.2f} MB, now {path.stat().st_size / 1e6:.2f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
