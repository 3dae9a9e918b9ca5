#!/usr/bin/env python3
"""Thousands of small cases; see sweep.h.

usage: run_sweep.py SWEEP SOFTLAKE [--large] [--part TEXT] [--platform NAME]
                    [GROUP...]

A group passes if all of its cases on Softlake agree with the program's own
references, and its values with llvmpipe's. TAP; failed cases are comments.
sweep-NAME.txt lists cases that fail on a platform by its driver's fault, as
shell patterns with reasons. A pattern that no failure matches is a failure,
too.
"""
import argparse
import fnmatch
import os
import pathlib
import subprocess
import sys
import tempfile

LLVMPIPE = {'LIBGL_ALWAYS_SOFTWARE': '1', 'GALLIUM_DRIVER': 'llvmpipe',
            'LP_NUM_THREADS': '0',
            # Without its shortcuts in texture filtering.
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


def read_expected(platform):
    """Patterns of cases."""
    path = pathlib.Path(__file__).with_name('sweep-%s.txt' % platform)
    lines = path.read_text().splitlines() if path.exists() else []
    return [l.split()[0] for l in lines if l and not l.startswith('#')]


def unexpected(args, group, lines):
    """Failures that are not expected."""
    patterns = [p for p in read_expected(args.platform)
                if p.split('.')[0] == group]
    fails = [(l.split()[1].rstrip(':'), l) for l in lines
             if l.startswith('fail ')]
    rest = [line for name, line in fails
            if not any(fnmatch.fnmatchcase(name, p) for p in patterns)]
    if not args.part:
        rest += ['none fails of %s' % p for p in patterns
                 if not fnmatch.filter([name for name, _ in fails], p)]
    return rest


def judge(args, group, directory):
    """Returns (problems, counts)."""
    ours, theirs = (str(directory / (group + end)) for end in ('.sl', '.lp'))
    more = (['--large'] if args.large else []) + ([args.part] if args.part
                                                  else [])
    status, lines = run([args.softlake, '--strict', '--threads', '0',
                         '--platform', args.platform, '--', args.sweep, group,
                         ours] + more, {})
    counted = status in (0, 1) and lines[-1].endswith(' fail')
    problems = unexpected(args, group, lines) if counted else lines
    if problems or not os.path.getsize(ours):
        return problems[:MOST], lines[-1]
    # Failures of llvmpipe against the references do not count.
    status, other = run([args.sweep, group, theirs] + more, LLVMPIPE)
    if status not in (0, 1):
        return ['llvmpipe: ' + line for line in other[-MOST:]], lines[-1]
    # Observed: llvmpipe of Mesa 25 cannot read a window's surface with samples.
    unread = {l.split()[1].rstrip(':') for l in other
              if l.startswith('fail ') and ': GL error ' in l}
    status, other = run([args.sweep, '--compare', theirs, ours], {})
    problems = [l for l in other[:-1] if l.split()[1].rstrip(':') not in unread]
    if status not in (0, 1):
        problems = other
    return problems[:MOST], lines[-1] + '; ' + other[-1]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('sweep')
    parser.add_argument('softlake')
    parser.add_argument('groups', nargs='*', default=[])
    parser.add_argument('--large', action='store_true')
    parser.add_argument('--part')
    parser.add_argument('--platform', default='kbl')
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
