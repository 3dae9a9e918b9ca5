#!/usr/bin/env python3
"""softlake profile where the file system of the counts is full.

usage: run_full.py SOFTLAKE

In a mount namespace /dev/shm and /tmp have a few pages. The command must end as
without a profile, say in one line that counts are lost, and no report may call
them exact. TAP.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SOFTLAKE = os.path.abspath(sys.argv[1])
MOUNT = ('mount -t tmpfs -o size=$0 none /dev/shm && '
         'mount -t tmpfs -o size=4k none /tmp && exec "$@"')
# 1000 instructions and the end of the thread: mov (16) r12 r1; mov (8) r127 r0,
# send (8) EOT.
CODE = bytes.fromhex('01008000280a802120008d0000000000' * 1000 +
                     '010060000c02e02f00008d0000000000'
                     '3100600704020020e00f000610000082')
results = []


def report(ok, name, *why):
    results.append(bool(ok))
    print('%sok %d - %s' % ('' if ok else 'not ', len(results), name))
    if not ok:
        print('#', *(str(w).replace('\n', '\n# ') for w in why))


def small(size, command):
    return subprocess.run(['unshare', '-rm', 'sh', '-c', MOUNT, size,
                           *map(str, command)], text=True, timeout=120,
                          capture_output=True)


def profile(folder, size, tier):
    path = folder / 'profile.json'
    path.unlink(missing_ok=True)
    done = small(size, [SOFTLAKE, 'profile', '--lanes', f'--json={path}', '--',
                        SOFTLAKE, 'eu-run', folder / 'k.bin', '--simd', '16',
                        '--tier', tier])
    return json.loads(path.read_text()) if path.exists() else None, done


def check(folder, size, tier):
    p, done = profile(folder, size, tier)
    name = f'{size}, {tier}'
    report(done.returncode == 0 and p, f'{name}: the command ends well',
           done.returncode, done.stderr)
    said = re.findall(r'[Nn]o space left', done.stderr)
    lost = p and p['totals'].get('lost_pages')
    insn = p and p['totals']['insn']
    report(bool(lost) == ('counts are incomplete' in done.stderr) ==
           ('some counts are lost' in done.stderr) == bool(said) and
           (insn == 1002 or lost), f'{name}: {insn} instructions, '
           f'{lost or 0} pages lost', done.stderr, p and p['totals'])
    report(len(said) <= 2, f'{name}: once', done.stderr)
    return lost


def main():
    if small('64k', ['true']).returncode:
        print('1..0 # SKIP no mount namespaces')
        return 0
    with tempfile.TemporaryDirectory(dir=os.getcwd()) as temporary:
        folder = pathlib.Path(temporary)
        (folder / 'k.bin').write_bytes(CODE)
        lost = [check(folder, f'{size}k', tier) for tier in ('jit', 'interp')
                for size in (4, 8, 20, 24, 28, 32, 36, 40, 48, 64)]
        report(any(lost), 'some runs lose counts', lost)
        report(not check(folder, '1024k', 'interp'), 'with room none are lost')
    print('1..%d' % len(results))
    return 0 if all(results) else 1


sys.exit(main())
