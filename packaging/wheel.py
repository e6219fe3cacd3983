"""Puts the binary into a Python wheel: a zip file with the binary as a script, its metadata, and a list of hashes (PEP 427)."""

import base64
import hashlib
import pathlib
import platform
import sys
import zipfile

TREE = pathlib.Path(__file__).resolve().parent.parent


def tag(binary):
    """The platform that the binary runs on: the newest symbols of the C library that it asks for decide."""
    machine = platform.machine().lower()
    if sys.platform == "darwin":
        return f"macosx_11_0_{'arm64' if machine == 'arm64' else 'x86_64'}"
    if sys.platform == "win32":
        return "win_amd64"
    versions = {(2, 17)}
    data = pathlib.Path(binary).read_bytes()
    start = 0
    while (start := data.find(b"GLIBC_2.", start)) >= 0:
        digits = data[start + 8 : start + 11].split(b"\0")[0].split(b".")[0]
        if digits.isdigit():
            versions.add((2, int(digits)))
        start += 8
    major, minor = max(versions)
    return f"manylinux_{major}_{minor}_{machine}"


def wheel(binary, version, out):
    """Writes the wheel and returns its path."""
    platform_tag = tag(binary)
    info = f"starwheel-{version}.dist-info"
    metadata = (
        "Metadata-Version: 2.1\nName: starwheel\n"
        f"Version: {version}\nSummary: A model checker for Promela: the command `starwheel`\n"
        "License: MIT OR Apache-2.0\nRequires-Python: >=3.8\nDescription-Content-Type: text/markdown\n\n"
        + (TREE / "README.md").read_text(encoding="utf-8")
    )
    name = "starwheel.exe" if sys.platform == "win32" else "starwheel"
    files = {
        f"starwheel-{version}.data/scripts/{name}": (pathlib.Path(binary).read_bytes(), 0o755),
        f"{info}/METADATA": (metadata.encode(), 0o644),
        f"{info}/WHEEL": (
            f"Wheel-Version: 1.0\nGenerator: packaging/wheel.py\nRoot-Is-Purelib: false\nTag: py3-none-{platform_tag}\n".encode(),
            0o644,
        ),
        f"{info}/licenses/LICENSE-MIT": ((TREE / "LICENSE-MIT").read_bytes(), 0o644),
        f"{info}/licenses/LICENSE-APACHE": ((TREE / "LICENSE-APACHE").read_bytes(), 0o644),
    }
    record = ""
    path = pathlib.Path(out) / f"starwheel-{version}-py3-none-{platform_tag}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for where, (data, mode) in files.items():
            entry = zipfile.ZipInfo(where, date_time=(2020, 1, 1, 0, 0, 0))
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record += f"{where},sha256={digest},{len(data)}\n"
        entry = zipfile.ZipInfo(f"{info}/RECORD", date_time=(2020, 1, 1, 0, 0, 0))
        entry.external_attr = 0o100644 << 16
        archive.writestr(entry, record + f"{info}/RECORD,,\n")
    return path


if __name__ == "__main__":
    print(wheel(*sys.argv[1:4]))
