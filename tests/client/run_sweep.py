#!/usr/bin/env python3
"""Thousands of small cases; see sweep.h.

usage: run_sweep.py SWEEP SOFTLAKE [--large] [--part TEXT] [GROUP...]

A group passes if all of its cases on Softlake agree with the program's own
references, and its values with llvmpipe's. TAP; failed cases are comments.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

LLVMPIPE = {'LIBGL_ALWAYS_SOFTWARE': '1', 'GALLIUM_DRIVER': 'llvmpipe',
            'LP_NUM_THREADS': '0',
            # Its shortcuts in texture filtering are not what is compared.
            'GALLIVM_PERF': 'no_brilinear,no_rho_approx,no_quad_lod,'
                            'no_aos_sampling'}
TIMEOUT_S = 1800
MOST = 20  # failures that are printed


def run(command, extra):
    """Returns (status, lines)."""
    env = dict(os.environ, MESA_SHADER_CACHE_DISABLE='true', **extra)
    for name in ('LIBGL_ALWAYS_SOFTWARE', 'GALLIUM_DRIVER',
                 'MESA_LOADER_DRIVER_OVERRIDE', 'INTEL_DEBUG'):
        if name not in extra:
            env.pop(name, None)
    done = subprocess.run(command, env=env, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=TIMEOUT_S)
    return (done.returncode,
            done.stdout.decode(errors='replace').splitlines() or ['nothing'])


def judge(args, group, directory):
    """Returns (problems, what was counted)."""
    ours, theirs = (str(directory / (group + end)) for end in ('.sl', '.lp'))
    more = (['--large'] if args.large else []) + ([args.part] if args.part
                                                  else [])
    status, lines = run([args.softlake, '--strict', '--threads', '0', '--',
                         args.sweep, group, ours] + more, {})
    if status or not os.path.getsize(ours):
        return (lines[:MOST] if status else []), lines[-1]
    # llvmpipe's own references are its own business.
    status, other = run([args.sweep, group, theirs] + more, LLVMPIPE)
    if status not in (0, 1):
        return ['llvmpipe: ' + line for line in other[-MOST:]], lines[-1]
    status, other = run([args.sweep, '--compare', theirs, ours], {})
    return other[:MOST] if status else [], lines[-1] + '; ' + other[-1]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('sweep')
    parser.add_argument('softlake')
    parser.add_argument('groups', nargs='*', default=[])
    parser.add_argument('--large', action='store_true')
    parser.add_argument('--part')
    args = parser.parse_intermixed_args()
    groups = args.groups or run([args.sweep, '--list'], {})[1]
    print('1..%d' % len(groups), flush=True)
    failed = False
    with tempfile.TemporaryDirectory() as directory:
        for n, group in enumerate(groups, 1):
            problems, counted = judge(args, group, pathlib.Path(directory))
            failed |= bool(problems)
            print('%s %d - %s' % ('not ok' if problems else 'ok', n, counted))
            for problem in problems:
                print('# ' + problem, flush=True)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
