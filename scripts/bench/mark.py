#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Execute an instruction at the address MARK of plugin.h."""
import ctypes
import mmap

MARK = 0x600000000000
MAP_FIXED = 0x10
RET = b"\xc3"

libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
where = libc.mmap(MARK, mmap.PAGESIZE, mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC,
                  mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_FIXED, -1, 0)
if where != MARK:
    raise SystemExit("cannot map the address of the mark")
ctypes.memmove(MARK, RET, len(RET))
ctypes.CFUNCTYPE(None)(MARK)()
