#!/usr/bin/env python3
"""Lets each allocation, mapping, descriptor and thread creation of Softlake
fail once: the call's caller gets an errno, or the batch a guest error. Nothing
of Softlake crashes or hangs. TAP.

usage: run_failing.py FAILING_LIBRARY LAUNCHER [--all] [--jobs N]
                      NAME=COMMAND...

A site is a place in the library that calls. The first scene that reaches a site
lets its first call fail, and one in the middle; --all does so in every scene,
and lets all calls of a site fail, too.
"""
import argparse
import concurrent.futures
import os
import shlex
import subprocess
import sys
import tempfile

TIMEOUT_S = 90
OURS = 77  # a crash in our code, see failing.c


def environment(args, **extra):
    env = dict(os.environ, LD_PRELOAD=args.library,
               MESA_SHADER_CACHE_DISABLE='true', SOFTLAKE_HANG_S='5')
    env.update({'FAILING_' + name: str(value)
                for name, value in extra.items()})
    return env


def run(args, command, **extra):
    """Status, or None for a hang, and the last lines."""
    try:
        result = subprocess.run(
            [args.launcher, '--'] + command, timeout=TIMEOUT_S,
            env=environment(args, **extra), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except subprocess.TimeoutExpired:
        return None, ''
    text = result.stdout.decode(errors='replace').strip()
    return result.returncode, text[-400:]


def sites_of(args, command):
    """{site: (function, calls)} of a scene without failures."""
    sites = {}
    with tempfile.NamedTemporaryFile('r') as f:
        status, text = run(args, command, LIST=f.name)
        for line in f:
            site, function, count = line.split()
            _, calls = sites.get(site, (function, 0))
            sites[site] = function, max(calls, int(count))
    return status, text, sites


def choose(sites, seen, every):
    """(site, function, call) to let fail."""
    for site, (function, calls) in sorted(sites.items()):
        if site in seen and not every:
            continue
        seen.add(site)
        for call in sorted({1, (calls + 1) // 2} | ({0} if every else set())):
            yield site, function, call


def is_bad(status):
    """A driver's crash (78) is its own; children may be killed by tests."""
    return status is None or status == OURS or status < 0


def check(args, name, command, seen, pool):
    status, text, sites = sites_of(args, command)
    if status or not sites:
        return [f'without failures: status {status}, {len(sites)} sites: '
                f'{text}']
    cases = list(choose(sites, seen, args.all))
    results = pool.map(lambda c: run(args, command, SITE=c[0], CALL=c[2]),
                       cases)
    bad, drivers = [], 0
    for (site, function, call), (status, text) in zip(cases, results):
        drivers += status == 78
        if is_bad(status):
            what = 'hangs' if status is None else f'status {status}'
            bad.append(f'{function} at 0x{site}, call {call}: {what}: {text}')
    print(f'# {name}: {len(sites)} sites, {len(cases)} failures, '
          f'{drivers} crashes of the driver')
    return bad


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('library')
    parser.add_argument('launcher')
    parser.add_argument('--all', action='store_true')
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    parser.add_argument('scenes', nargs='+')
    args = parser.parse_args()
    seen, failed = set(), 0
    print(f'1..{len(args.scenes)}')
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for number, scene in enumerate(args.scenes, 1):
            name, command = scene.split('=', 1)
            bad = check(args, name, shlex.split(command), seen, pool)
            failed += bool(bad)
            print(f'{"not " if bad else ""}ok {number} - {name}', flush=True)
            for line in bad:
                print('#', line.replace('\n', '\n#  '), flush=True)
    return failed != 0


sys.exit(main())
