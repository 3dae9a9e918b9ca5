#!/usr/bin/env python3
"""Prints the kernels that stock Mesa compiles from tests/bench/shaders for
Kaby Lake, as arrays for kernels_code.h.

usage: capture_kernels.py SOFTLAKE STAGE TEST.shader_test...

SOFTLAKE is the launcher, STAGE one of vs, fs, cs. Needs piglit's
shader_runner."""
import os
import re
import subprocess
import sys
from pathlib import Path

RUNNER = "/usr/lib/x86_64-linux-gnu/piglit/bin/shader_runner"
ENV = {"MESA_SHADER_CACHE_DISABLE": "1", "PIGLIT_PLATFORM": "surfaceless_egl"}
LINE = re.compile(r"^((?:[0-9a-f]{2} ){16}|(?:[0-9a-f]{2} ){8}(?= ))")


def capture(softlake, stage, test):
    env = dict(os.environ, INTEL_DEBUG=stage + ",hex", **ENV)
    run = subprocess.run([softlake, RUNNER, test, "-auto", "-fbo"], env=env,
                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                         text=True, check=True)
    # The last variant is the widest one.
    code = bytearray()
    for line in run.stderr.splitlines():
        if line.startswith("Native code for"):
            code.clear()
        match = LINE.match(line)
        if match:
            code += bytes.fromhex(match[1])
    return code


def main():
    softlake, stage, *tests = sys.argv[1:]
    for test in tests:
        code = capture(softlake, stage, test)
        print(f"static const uint32_t {Path(test).stem}_code[] = {{")
        for at in range(0, len(code), 24):
            row = [int.from_bytes(code[i:i + 4], "little")
                   for i in range(at, min(at + 24, len(code)), 4)]
            print("    " + " ".join(f"0x{dw:08x}," for dw in row))
        print("};")


if __name__ == "__main__":
    main()
