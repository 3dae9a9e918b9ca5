#!/usr/bin/env python3
"""Runs a list of piglit tests on Softlake and judges them against expectations.

usage: run_piglit.py SOFTLAKE LIST PREFIX [--jobs N] [--out DIR] [--timeout S]

LIST names one test a line. PREFIX-{fails,flakes,skips}.txt are the
expectations in Mesa's format: `name,Status` for failures, a regular expression
a line for flakes and skips. An unexpected failure and an unexpected pass both
fail the run; a flake may go either way. Output is TAP, one line a test.
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

STATUS = {'pass': 'Pass', 'fail': 'Fail', 'crash': 'Crash', 'skip': 'Skip',
          'warn': 'Warn', 'dmesg-warn': 'Warn', 'dmesg-fail': 'Fail',
          'timeout': 'Timeout', 'incomplete': 'Incomplete',
          'notrun': 'Skip'}
GOOD = ('Pass', 'Warn')


def read_lines(path):
    if not path.exists():
        return []
    return [line.strip() for line in path.read_text().splitlines()
            if line.strip() and not line.startswith('#')]


class Expectations:
    def __init__(self, prefix):
        self.fails = dict(
            line.rsplit(',', 1) for line in
            read_lines(pathlib.Path(prefix + '-fails.txt')))
        self.flakes = self.patterns(prefix + '-flakes.txt')
        self.skips = self.patterns(prefix + '-skips.txt')

    @staticmethod
    def patterns(path):
        return [re.compile(p) for p in read_lines(pathlib.Path(path))]

    def skipped(self, name):
        return any(p.match(name) for p in self.skips)

    def problem(self, name, status):
        """None, or what is unexpected about this result."""
        if any(p.match(name) for p in self.flakes):
            return None
        want = self.fails.get(name)
        if want is None:
            return None if status in GOOD + ('Skip',) else \
                'unexpected %s' % status
        if status in GOOD:
            return 'unexpected pass: remove it from the list of failures'
        return None if status == want else '%s, expected %s' % (status, want)


def run(args, names, out):
    listed = out.parent / 'tests.txt'
    listed.write_text('\n'.join(names) + '\n')
    env = dict(os.environ, MESA_SHADER_CACHE_DISABLE='true',
               PIGLIT_NO_FAST_SKIP='1')
    command = [args.softlake, '--threads', '0', '--', 'piglit', 'run', '-o',
               '-p', 'surfaceless_egl', '-j', str(args.jobs), '-l', 'quiet',
               '--timeout', str(args.timeout), '--test-list', str(listed),
               args.profile, str(out)]
    done = subprocess.run(command, env=env, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
    results = out / 'results.json.bz2'
    if not results.exists():
        print('# ' + done.stdout.decode(errors='replace')[-2000:]
              .replace('\n', '\n# '))
        return {}
    return json.loads(bz2.open(results).read())['tests']


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('softlake')
    parser.add_argument('list')
    parser.add_argument('prefix')
    parser.add_argument('--profile', default='quick')
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    parser.add_argument('--out')
    parser.add_argument('--timeout', type=int, default=60)
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
        result = tests.get(name, {}).get('result', 'notrun')
        status = STATUS.get(result, result)
        problem = expected.problem(name, status) if name in tests else \
            'did not run'
        passed += status in GOOD
        print('%s %d - %s' % ('not ok' if problem else 'ok', number,
                              name.replace('#', '')))
        if problem:
            print('# ' + problem)
    # A list whose tests all skip proves nothing.
    print('%s %d - at least half of the list passes (%d of %d)' % (
        'ok' if passed * 2 >= len(names) else 'not ok', len(names) + 1,
        passed, len(names)))
    return 0


if __name__ == '__main__':
    sys.exit(main())
