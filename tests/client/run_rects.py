#!/usr/bin/env python3
"""Rectangles with and without threads: the same bytes.

usage: run_rects.py RECTS SOFTLAKE

Runs the program twice and compares the checksums of each operation. The first
run draws rectangles by kernel summaries; with SOFTLAKE_PERF=no_rects, threads
draw them. Then repeats both with white textures. TAP.
"""
import os
import re
import subprocess
import sys

TIMEOUT_S = 300
OPERATIONS = 30
SEEDS = (1, 2, 3)
LEAST = 40  # rectangles without threads in each run


def run(rects, softlake, seed, threads, extra):
    """Returns (lines, rectangles without threads)."""
    env = dict(os.environ, EGL_PLATFORM='surfaceless',
               MESA_SHADER_CACHE_DISABLE='true', **extra)
    for name in ('LIBGL_ALWAYS_SOFTWARE', 'GALLIUM_DRIVER', 'INTEL_DEBUG'):
        env.pop(name, None)
    command = [softlake, '--strict', '--stats', '--threads', threads, '--',
               rects, str(seed), str(OPERATIONS)]
    done = subprocess.run(command, env=env, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=TIMEOUT_S)
    errors = done.stderr.decode(errors='replace')
    if done.returncode:
        return ['exit status %d: %s' % (done.returncode, errors[-400:])], 0
    known = re.search(r'(\d+) rectangles drawn without threads', errors)
    return done.stdout.decode().splitlines(), int(known[1]) if known else 0


# Options of both runs, and the seed.
WAYS = [('', seed) for seed in SEEDS] + [('no_tex', SEEDS[0])]


def compare(rects, softlake, seed, perf):
    """Returns the problems."""
    without = ','.join(filter(None, (perf, 'no_rects')))
    want, none = run(rects, softlake, seed, '0', {'SOFTLAKE_PERF': without})
    problems = []
    if none:
        problems.append('%d rectangles in spite of no_rects' % none)
    if len(want) < 5 * OPERATIONS:
        problems.append('too little was drawn: %s' % want[-1:])
    for threads, extra in (('0', {}), ('2', {}),
                           ('0', {'SOFTLAKE_CPU': 'sse4'})):
        got, count = run(rects, softlake, seed, threads,
                         dict(extra, SOFTLAKE_PERF=perf))
        problems += ['%s instead of %s' % (g, w)
                     for g, w in zip(got, want) if g != w][:5]
        if len(got) != len(want) or count < LEAST:
            problems.append('%d lines, %d rectangles: %s' %
                            (len(got), count, got[-1:]))
    return problems


def main():
    rects, softlake = sys.argv[1:3]
    print('1..%d' % len(WAYS))
    failed = False
    for n, (perf, seed) in enumerate(WAYS, 1):
        problems = compare(rects, softlake, seed, perf)
        failed |= bool(problems)
        print('%s %d - seed %d%s' % ('not ok' if problems else 'ok', n, seed,
                                     ', ' + perf if perf else ''))
        for p in problems:
            print('# ' + p)
    return 1 if failed else 0


sys.exit(main())
