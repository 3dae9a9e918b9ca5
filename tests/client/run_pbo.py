#!/usr/bin/env python3
"""Pixel buffer objects with and without threads, and on llvmpipe: same bytes.

usage: run_pbo.py PBO SOFTLAKE

Compares the checksums of each operation. With SOFTLAKE_PERF=no_rect_buffers,
threads draw; the other runs copy rectangles from and to buffers, with more or
fewer threads and instructions. llvmpipe must agree with all lines but those
that begin with "own", where GL or the driver leaves the result open. TAP.
"""
import os
import re
import subprocess
import sys

TIMEOUT_S = 300
OPERATIONS = 60
SEEDS = (1, 2, 3, 4)
LEAST = 60  # rectangles from and to buffers in each run


def run(pbo, before, seed, **extra):
    """Returns (lines, rectangles from or to buffers)."""
    env = dict(os.environ, EGL_PLATFORM='surfaceless',
               MESA_SHADER_CACHE_DISABLE='true')
    for name in ('LIBGL_ALWAYS_SOFTWARE', 'GALLIUM_DRIVER', 'INTEL_DEBUG'):
        env.pop(name, None)
    env.update(extra)
    done = subprocess.run(before + [pbo, str(seed), str(OPERATIONS)], env=env,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=TIMEOUT_S)
    errors = done.stderr.decode(errors='replace')
    if done.returncode:
        return ['exit status %d: %s' % (done.returncode, errors[-400:])], 0
    known = re.search(r'(\d+) of these from or to buffers', errors)
    return done.stdout.decode().splitlines(), int(known[1]) if known else 0


def differences(got, want, what):
    found = ['%s: line %d: %s instead of %s' % (what, n, g, w)
             for n, (g, w) in enumerate(zip(got, want), 1) if g != w][:5]
    if len(got) != len(want):
        found.append('%s: %d lines: %s' % (what, len(got), got[-1:]))
    return found


def shared(lines):
    return [line for line in lines if not line.startswith('own')]


def compare(pbo, softlake, seed):
    """Returns the problems."""
    def here(threads, **extra):
        return run(pbo, [softlake, '--strict', '--stats', '--threads', threads,
                         '--'], seed, **extra)
    want, none = here('0', SOFTLAKE_PERF='no_rect_buffers')
    problems = []
    if none:
        problems.append('%d rectangles in spite of the switch' % none)
    if len(want) != 5 * OPERATIONS:
        problems.append('too little was drawn: %s' % want[-1:])
    for threads, least, extra in (
            ('0', LEAST, {}), ('8', LEAST, {}),
            ('0', LEAST, {'SOFTLAKE_CPU': 'sse4'}),
            ('8', 0, {'SOFTLAKE_PERF': 'no_rect_buffers'})):
        got, count = here(threads, **extra)
        what = ' '.join(['threads', threads] + list(extra.values()))
        problems += differences(got, want, what)
        if count < least:
            problems.append('only %d rectangles' % count)
    other, _ = run(pbo, [], seed, LIBGL_ALWAYS_SOFTWARE='true',
                   GALLIUM_DRIVER='llvmpipe')
    return problems + differences(shared(want), shared(other), 'llvmpipe')


def main():
    pbo, softlake = sys.argv[1:3]
    print('1..%d' % len(SEEDS))
    failed = False
    for n, seed in enumerate(SEEDS, 1):
        problems = compare(pbo, softlake, seed)
        failed |= bool(problems)
        print('%s %d - seed %d' % ('not ok' if problems else 'ok', n, seed))
        for p in problems:
            print('# ' + p)
    return 1 if failed else 0


sys.exit(main())
