#!/usr/bin/env python3
"""Counts what meson's test logs say, subtests included, and lists failures.

usage: summarise.py testlog.json...
What a failing test printed in the end precedes its failures. Last line: `N
passed, N failed, N skipped`. Exit status 1 if anything failed or nothing ran.
"""
import json
import re
import sys

TAIL = 15  # lines


def print_tail(test):
    print('---- %s: %s' % (test['name'], test['result']))
    for stream in ('stdout', 'stderr'):
        lines = [line for line in test.get(stream, '').splitlines()
                 if not re.match(r'ok\b', line)]
        for line in lines[-TAIL:]:
            print('  ' + line[:300])


passed, failed, skipped = 0, [], 0
for path in sys.argv[1:]:
    try:
        lines = open(path).read().splitlines()
    except OSError:
        failed.append('%s is missing: its tests did not run' % path)
        continue
    for line in lines:
        test = json.loads(line)
        name = test['name']
        good = bad = skips = 0
        if test['result'] not in ('OK', 'SKIP'):
            print_tail(test)
        for tap in test.get('stdout', '').splitlines():
            m = re.match(r'(not )?ok\b(.*)', tap)
            if not m:
                continue
            if m[1]:
                bad += 1
                failed.append('%s: %s' % (name, m[2].strip()))
            elif re.search(r'# *skip', m[2], re.I):
                skips += 1
            else:
                good += 1
        if good + bad + skips == 0:
            if test['result'] == 'OK':
                good = 1
            elif test['result'] == 'SKIP':
                skips = 1
            else:
                failed.append('%s: %s' % (name, test['result']))
        elif test['result'] not in ('OK', 'SKIP') and not bad:
            failed.append('%s: %s' % (name, test['result']))
        passed += good
        skipped += skips
for line in failed:
    print('FAILED ' + line)
print('%d passed, %d failed, %d skipped' % (passed, len(failed), skipped))
sys.exit(1 if failed or not passed else 0)
