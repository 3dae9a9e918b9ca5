#!/usr/bin/env python3
"""softlake profile: interpreter and compiled code count alike.

    run_tiers_piglit.py SOFTLAKE LIST [--every N] [--jobs N]

Runs a part of piglit's list (every N-th test; 1: all) in the interpreter and
compiled for AVX2 and, where the processor has it, AVX-512. The executions and
active lanes of each instruction and the ways of each branch must be equal, and
the counts must obey the equations of counts.py. TAP.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import counts

TIMEOUT_S = 3600


def tiers():
    yield 'interp', {'SOFTLAKE_EU': 'interp'}
    yield 'avx2', {'SOFTLAKE_CPU': 'avx2'}
    if counts.has_avx512():
        yield 'avx512', {'SOFTLAKE_CPU': 'avx512'}


def read_list(path, every):
    lines = [line for line in path.read_text().splitlines()
             if line and not line.startswith('#')]
    return lines[::every]


def profile(args, names, folder, env):
    """profile.json and what --stats printed."""
    listed, path = folder / 'tests.txt', folder / 'profile.json'
    listed.write_text('\n'.join(names) + '\n')
    path.unlink(missing_ok=True)
    done = subprocess.run(
        [args.softlake, '--threads', '0', 'profile', '-q', '--lanes',
         f'--json={path}', '--', 'piglit', 'run', '-o', '-p',
         'surfaceless_egl', '-j', str(args.jobs), '-l', 'quiet', '--timeout',
         '300', '--ignore-missing', '--test-list', str(listed), 'quick',
         str(folder / 'results')],
        env={**os.environ, 'MESA_SHADER_CACHE_DISABLE': 'true',
             'PIGLIT_NO_FAST_SKIP': '1', **env},
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, timeout=TIMEOUT_S)
    if not path.exists():
        print('# ' + done.stdout.decode(errors='replace')[-500:])
        return None
    return json.loads(path.read_text())


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('softlake', type=os.path.abspath)
    parser.add_argument('list', type=pathlib.Path)
    parser.add_argument('--every', type=int, default=1)
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    args = parser.parse_args()
    names = read_list(args.list, args.every)
    want, number, failed = None, 0, 0
    for tier, env in tiers():
        with tempfile.TemporaryDirectory() as temporary:
            p = profile(args, names, pathlib.Path(temporary), env)
        found = ['no profile'] if not p else \
            [str(why) for why in counts.problems(p)]
        if p and want:
            found += counts.differences(want, p)
        want = want or p
        number += 1
        failed += bool(found)
        print('%sok %d - %s: %d tests, %d instructions of %d kernels' % (
            'not ' if found else '', number, tier, len(names),
            p['totals']['insn'] if p else 0, len(p['kernels']) if p else 0),
            flush=True)
        for why in found[:20]:
            print('#', why)
    print(f'1..{number}')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
