#!/usr/bin/env python3
"""Tables of functions are read-only once the process runs (full RELRO), stacks
are checked and not executable, and no section is writable and executable. TAP.

usage: test_hardened.py FILE...
"""
import subprocess
import sys


def readelf(option, path):
    return subprocess.run(['readelf', '-W', option, path], capture_output=True,
                          text=True, check=True).stdout


def checks(path):
    segments, dynamic = readelf('-l', path), readelf('-d', path)
    yield 'has RELRO', 'GNU_RELRO' in segments
    yield 'binds at once', 'BIND_NOW' in dynamic or ' NOW' in dynamic
    yield 'has no writable code, nor executable stack', 'RWE' not in segments
    yield 'checks stacks', '__stack_chk_fail' in readelf('--dyn-syms', path)


paths = sys.argv[1:]
failed = number = 0
print(f'1..{4 * len(paths)}')
for path in paths:
    for what, good in checks(path):
        number += 1
        failed += not good
        print(f'{"" if good else "not "}ok {number} - '
              f'{path.rsplit("/", 1)[-1]} {what}')
sys.exit(failed != 0)
