#!/usr/bin/env python3
"""Runs a list of piglit tests on Softlake and judges them against expectations.

usage: run_piglit.py SOFTLAKE LIST PREFIX [--jobs N] [--out DIR] [--timeout S]
                     [--platform NAME]

LIST names one test a line. PREFIXfails.txt, PREFIXflakes.txt and
PREFIXskips.txt are the expectations; see expect.py. Output is TAP, one line a
test. Each build of piglit makes other tests of vertex inputs, at random: those
that this one lacks are skipped; any other that it lacks is a failure.
"""
import argparse
import bz2
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from expect import GOOD, Expectations, read_lines

STATUS = {'pass': 'Pass', 'fail': 'Fail', 'crash': 'Crash', 'skip': 'Skip',
          'warn': 'Warn', 'dmesg-warn': 'Warn', 'dmesg-fail': 'Fail',
          'timeout': 'Timeout', 'incomplete': 'Incomplete'}
RANDOM = re.compile('@vs_in@')


def run(args, names, out):
    listed = out.parent / 'tests.txt'
    listed.write_text('\n'.join(names) + '\n')
    env = dict(os.environ, MESA_SHADER_CACHE_DISABLE='true',
               PIGLIT_NO_FAST_SKIP='1')
    command = [args.softlake, '--threads', '0', '--platform', args.platform,
               '--', 'piglit', 'run', '-o',
               '-p', 'surfaceless_egl', '-j', str(args.jobs), '-l', 'quiet',
               '--timeout', str(args.timeout), '--ignore-missing',
               '--test-list', str(listed), args.profile, str(out)]
    done = subprocess.run(command, env=env, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
    results = out / 'results.json.bz2'
    if not results.exists():
        print('# ' + done.stdout.decode(errors='replace')[-2000:]
              .replace('\n', '\n# '))
        return {}
    return json.loads(bz2.open(results).read())['tests']


def judge(expected, tests, name):
    """Returns (status, problem or None, TAP's directive)."""
    result = tests.get(name, {}).get('result', 'notrun')
    if result == 'notrun':
        if tests and RANDOM.search(name):
            return 'Skip', None, ' # SKIP not in this build of piglit'
        return 'Skip', 'did not run', ''
    status = STATUS.get(result, result)
    return status, expected.problem(name, status), ''


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('softlake')
    parser.add_argument('list')
    parser.add_argument('prefix')
    parser.add_argument('--profile', default='quick')
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    parser.add_argument('--out')
    parser.add_argument('--timeout', type=int, default=60)
    parser.add_argument('--platform', default='kbl')
    args = parser.parse_args()
    expected = Expectations(args.prefix)
    names = [n for n in read_lines(pathlib.Path(args.list))
             if not expected.skipped(n)]
    with tempfile.TemporaryDirectory() as temporary:
        out = pathlib.Path(args.out or temporary) / 'piglit'
        out.parent.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(out, ignore_errors=True)
        tests = run(args, names, out)
    print('TAP version 13\n1..%d' % (len(names) + 1))
    passed = 0
    for number, name in enumerate(names, 1):
        status, problem, skip = judge(expected, tests, name)
        passed += status in GOOD
        print('%s %d - %s%s' % ('not ok' if problem else 'ok', number,
                                name.replace('#', ''), skip))
        if problem:
            print('# ' + problem)
    # A list whose tests all skip proves nothing.
    print('%s %d - at least half of the list passes (%d of %d)' % (
        'ok' if passed * 2 >= len(names) else 'not ok', len(names) + 1,
        passed, len(names)))
    return 0


if __name__ == '__main__':
    sys.exit(main())
