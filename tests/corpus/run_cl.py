#!/usr/bin/python3
"""Runs piglit's OpenCL programs on the EU without any OpenCL runtime.

    run_cl.py SOFTLAKE CORPUS --device skl|bdw --tier interp|jit|check

CORPUS is what build.py wrote. One TAP result per program: ok if each of its
tests gives the values that the program's comment expects, within the comment's
tolerance, or is listed as `PROGRAM@TEST,Fail` in cl-fails.txt (shell patterns).
A listed test that passes is a failure, too. cl-skips.txt has programs that do
not run, with the reason.
"""

import argparse
import concurrent.futures
import fnmatch
import os
import pathlib
import re
import subprocess
import sys

import build
import cl_test

HERE = pathlib.Path(__file__).parent
BATCH_TIMEOUT_S = 900


def list_lines(name):
    for line in (HERE / name).read_text().splitlines():
        line, _, comment = line.partition('#')
        if line.strip():
            yield line.strip(), comment.strip()


def read_fails(device, tier):
    """Those of this device and tier: `skl:`, `jit:` before a name restrict."""
    fails = []
    for line, _ in list_lines('cl-fails.txt'):
        name, _, result = line.rpartition(',')
        if result != 'Fail':
            raise SystemExit(f'cl-fails.txt: {line}')
        only, colon, rest = name.partition(':')
        if colon and only in ('skl', 'bdw', 'interp', 'jit', 'check'):
            if only not in (device, tier):
                continue
            name = rest
        fails.append(name)
    return fails


def run_batch(softlake, tier, commands):
    """(output, status) per command; what crashes is not tried again."""
    results = []
    while len(results) < len(commands):
        r = subprocess.run(
            [softlake, 'eu-run', '--batch', '-', '--tier', tier],
            input='\n'.join(commands[len(results):]) + '\n', text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            timeout=BATCH_TIMEOUT_S)
        parts = re.split(r'^== exit (\d+)\n', r.stdout, flags=re.M)
        results += zip(parts[0:-1:2], map(int, parts[1::2]))
        if len(results) < len(commands):
            results.append((f'{parts[-1]}crashed: {r.returncode}', -1))
    return results


class Program:
    def __init__(self, path, corpus, device):
        self.path = path
        self.name = path.removesuffix('.cl')
        self.binary = corpus / device / (self.name + '.bin')
        self.config, self.tests = cl_test.read_program(
            (build.PIGLIT / path).read_text())

    def why_skipped(self, skips):
        for pattern, reason in skips:
            if fnmatch.fnmatch(self.path, pattern):
                return reason
        if not self.tests:
            return 'only built'
        return None

    def commands(self):
        return [test.command(str(self.binary)) for test in self.tests]


def test_failure(test, output, status):
    if status == 0:
        why = test.check(output)
    else:
        why = output.strip().replace('\n', ' | ')[-300:] or f'exit {status}'
    if test.expect_fail:
        return None if why else 'passes, though it is meant to fail'
    return why


def judge(program, results, fails):
    """Notes on what was not expected, number of tests that passed."""
    notes = []
    passed = 0
    for test, (output, status) in zip(program.tests, results):
        name = f'{program.path}@{test.name}'
        why = test_failure(test, output, status)
        listed = any(fnmatch.fnmatchcase(name, pattern) for pattern in fails)
        passed += why is None
        if why and not listed:
            notes.append(f'{test.name}: {why}')
        elif not why and listed:
            notes.append(f'{test.name}: passes, but is in cl-fails.txt')
    return notes, passed


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('softlake')
    parser.add_argument('corpus', type=pathlib.Path)
    parser.add_argument('--device', choices=('skl', 'bdw'), default='skl')
    parser.add_argument('--tier', choices=('interp', 'jit', 'check'),
                        default='interp')
    parser.add_argument('--match', default='', help='part of the path')
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    args = parser.parse_args()
    skips = list(list_lines('cl-skips.txt'))
    fails = read_fails(args.device, args.tier)
    programs = [Program(path, args.corpus, args.device)
                for path in build.programs() if args.match in path]
    if not (args.corpus / args.device).is_dir():
        print(f'1..0 # SKIP no corpus: run tests/corpus/build.py {args.corpus}')
        return 0

    runs = [p for p in programs if not p.why_skipped(skips)]
    shards = [runs[i::args.jobs] for i in range(args.jobs)]
    results = {}
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        batches = [pool.submit(run_batch, args.softlake, args.tier,
                               [c for p in shard for c in p.commands()])
                   for shard in shards]
        for shard, batch in zip(shards, batches):
            answers = iter(batch.result())
            for p in shard:
                results[p.path] = [next(answers) for _ in p.tests]

    print(f'1..{len(programs)}')
    clean = tests = tests_passed = failed = 0
    for number, p in enumerate(programs, 1):
        reason = p.why_skipped(skips)
        if reason:
            print(f'ok {number} - {p.path} # SKIP {reason}')
            continue
        notes, passed = judge(p, results[p.path], fails)
        tests += len(p.tests)
        tests_passed += passed
        clean += passed == len(p.tests)
        failed += bool(notes)
        print(f'{"not ok" if notes else "ok"} {number} - {p.path}')
        for note in notes:
            print(f'# {note}')
    print(f'# {args.device} {args.tier}: {len(programs)} programs, '
          f'{len(runs)} run, {clean} give all expected values; '
          f'{tests_passed} of {tests} tests')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
