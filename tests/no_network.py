"""A process that ends at once when anything in it, native code included, opens a socket to the internet."""

import ctypes
import os
import platform
import struct
import subprocess
import sys

import pytest

SOCKET_CALL = {"x86_64": 41, "aarch64": 198}
IPV4, IPV6 = 2, 10
LOAD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
CALL_NUMBER_AT, FIRST_ARGUMENT_AT = 0, 16
KILL_PROCESS, ALLOW = 0x80000000, 0x7FFF0000
NO_NEW_PRIVILEGES, SET_SECCOMP, FILTER_MODE = 38, 22, 2

needs_seccomp = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() not in SOCKET_CALL, reason="needs Linux's system call filters"
)


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


def _instruction(code, value, if_true=0, if_false=0):
    return struct.pack("HBBI", code, if_true, if_false, value)


def _forbid_internet():
    """Install a seccomp filter, which programs started from here on keep."""
    instructions = b"".join(
        [
            _instruction(LOAD, CALL_NUMBER_AT),
            _instruction(JUMP_IF_EQUAL, SOCKET_CALL[platform.machine()], 0, 4),
            _instruction(LOAD, FIRST_ARGUMENT_AT),
            _instruction(JUMP_IF_EQUAL, IPV4, 1, 0),
            _instruction(JUMP_IF_EQUAL, IPV6, 0, 1),
            _instruction(RETURN, KILL_PROCESS),
            _instruction(RETURN, ALLOW),
        ]
    )
    held = ctypes.create_string_buffer(instructions, len(instructions))
    program = _Program(len(instructions) // 8, ctypes.addressof(held))
    libc = ctypes.CDLL(None, use_errno=True)
    for arguments in ((NO_NEW_PRIVILEGES, 1, 0, 0, 0), (SET_SECCOMP, FILTER_MODE, ctypes.byref(program), 0, 0)):
        if libc.prctl(*arguments):
            raise OSError(ctypes.get_errno(), "the system call filter cannot be installed")


def run_without_internet(code, home, folder):
    """Run Python code with `home` as the user's folder; a socket to the internet ends it with SIGSYS."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "HF_", "ORT_"))}
    return subprocess.run(  # noqa: S603 - our own code
        [sys.executable, "-c", code],
        cwd=folder,
        env={**environment, "HOME": str(home)},
        preexec_fn=_forbid_internet,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
