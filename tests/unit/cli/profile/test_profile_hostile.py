#!/usr/bin/env python3
"""softlake profile --from with files that no profile is. TAP.

usage: test_profile_hostile.py SOFTLAKE

Each ends by itself, with a status and not by a signal, whatever the numbers
are. What an earlier release did not write is not told as 0.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

SOFTLAKE = sys.argv[1]
NUMBERS = ['inf', '-inf', 'nan', '1e400', '18446744073709551615', '', 'x',
           1e300, -1e300, -1, 2 ** 62, 0.5, None, [], {}]
number = 0
good = True


def kernel(n):
    return {'id': '0123456789abcdef', 'name': 'k', 'stage': 'fs', 'simd': 16,
            'size_B': n, 'threads': n, 'insn': n, 'insns':
            [{'ip': n, 'text': 'nop', 'exec_size': n, 'count': n}]}


def profiles():
    for n in NUMBERS:
        for key in 'draws', 'draw_sums', 'targets', 'sampler', 'draw_kernels':
            row = {k: n for k in ('draws', 'draw', 'pixels', 'texels', 'frame',
                                  'requests', 'quads', 'written', 'threads',
                                  'target', 'samples', 'overdraw', 'kernels')}
            yield '%s of %r' % (key, n), {
                'schema': 1, 'kernels': [kernel(5)], key: [row] * 3}
        yield 'a kernel of %r' % n, {'schema': 1, 'kernels': [kernel(n)]}
        yield 'kernels %r' % n, {'schema': 1, 'kernels': n}
        yield 'schema %r' % n, {'schema': n, 'kernels': []}


def check(folder, name, profile):
    global number, good
    path = folder / 'profile.json'
    path.write_text(json.dumps(profile))
    number += 1
    try:
        done = subprocess.run(
            [SOFTLAKE, 'profile', f'--from={path}', f'--html={folder}/r.html',
             f'--csv={folder}/csv'],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
        status = done.returncode
    except subprocess.TimeoutExpired:
        status = 'no end'
    fine = status in (0, 125)
    good &= fine
    print('%s %d - %s' % ('ok' if fine else 'not ok', number, name))
    if not fine:
        print('# status', status)


def check_earlier(folder):
    """Spills of a profile that has no count of live registers."""
    global number, good
    path = folder / 'profile.json'
    spilling = kernel(5)
    spilling['insns'][0]['kind'] = 'spill'
    path.write_text(json.dumps({'schema': 1, 'kernels': [spilling]}))
    subprocess.run([SOFTLAKE, 'profile', f'--from={path}',
                    f'--html={folder}/r.html'], stderr=subprocess.DEVNULL)
    page = (folder / 'r.html').read_text()
    number += 1
    fine = 'too few registers. Keep' in page
    good &= fine
    print('%s %d - spills of an earlier release' %
          ('ok' if fine else 'not ok', number))


def main():
    with tempfile.TemporaryDirectory() as folder:
        for name, profile in profiles():
            check(pathlib.Path(folder), name, profile)
        check_earlier(pathlib.Path(folder))
    print('1..%d' % number)
    sys.exit(not good)


main()
