#!/usr/bin/env python3
"""softlake profile: interpreter and compiled code count alike.

    run_tiers_cl.py SOFTLAKE CORPUS [--device skl|bdw] [--match TEXT]
                    [--every N]

Runs piglit's OpenCL programs (run_cl.py) in the interpreter and compiled for
AVX2 and, where the processor has it, AVX-512. The executions and active lanes
of each instruction and the ways of each branch must be equal, the counts must
obey the equations of counts.py, and the lanes of all threads are the work
items that the programs ask for. One TAP result per chunk of programs and
tier.
"""
import argparse
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'corpus'))

import counts
import run_cl
import build

# Counters of a process are for some thousand kernels.
CHUNK = 60
TIMEOUT_S = 900


def tiers():
    yield 'interp', {'SOFTLAKE_CPU': 'avx2'}
    yield 'avx2', {'SOFTLAKE_CPU': 'avx2'}
    if counts.has_avx512():
        yield 'avx512', {'SOFTLAKE_CPU': 'avx512'}


def work_items(test):
    return math.prod(test.global_size[:test.dims])


class Runner:
    def __init__(self, args, folder):
        self.softlake, self.path = args.softlake, folder / 'profile.json'
        self.known = self.kernels = 0

    def profile(self, commands, tier, env):
        """profile.json, and which commands have run."""
        self.path.unlink(missing_ok=True)
        tier = 'interp' if tier == 'interp' else 'jit'
        done = subprocess.run(
            [self.softlake, 'profile', '-q', '--lanes', f'--json={self.path}',
             '--', self.softlake, 'eu-run', '--batch', '-', '--tier', tier],
            input='\n'.join(commands) + '\n', text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env={**os.environ, **env}, timeout=TIMEOUT_S)
        status = [line == '== exit 0' for line in done.stdout.splitlines()
                  if line.startswith('== exit ')]
        if len(status) != len(commands) or not self.path.exists():
            return None, done.stdout[-500:]
        return json.loads(self.path.read_text()), status

    def compare(self, programs):
        """Yields (tier, problems, instructions) of each tier."""
        tests = [t for p in programs for t in p.tests]
        commands = [c for p in programs for c in p.commands()]
        want = None
        for tier, env in tiers():
            p, status = self.profile(commands, tier, env)
            if p is None:
                yield tier, ['did not run: ' + status], 0
                continue
            found = [str(why) for why in counts.problems(p)]
            items = sum(work_items(t) for t, ok in zip(tests, status) if ok)
            lanes = [counts.dispatched_lanes(k) for k in p['kernels']
                     if k['insn']]
            known = sum(n for n in lanes if n is not None)
            if known > items or None not in lanes and known != items:
                found.append(f'{items} work items, {known} lanes')
            self.known += sum(n is not None for n in lanes)
            self.kernels += len(lanes)
            if want is not None:
                found += counts.differences(want[0], p)
                if status != want[1]:
                    found.append('other programs fail')
            want = want or (p, status)
            yield tier, found, p['totals']['insn']


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('softlake', type=os.path.abspath)
    parser.add_argument('corpus', type=pathlib.Path)
    parser.add_argument('--device', choices=('skl', 'bdw'), default='skl')
    parser.add_argument('--match', default='', help='part of the path')
    parser.add_argument('--every', type=int, default=1, metavar='N',
                        help='only every Nth program')
    args = parser.parse_args()
    if not (args.corpus / args.device).is_dir():
        print(f'1..0 # SKIP no corpus: run tests/corpus/build.py {args.corpus}')
        return 0
    skips = list(run_cl.list_lines('cl-skips.txt'))
    programs = [run_cl.Program(path, args.corpus, args.device)
                for path in build.programs() if args.match in path]
    programs = [p for p in programs if not p.why_skipped(skips)][::args.every]
    number = failed = insns = 0
    with tempfile.TemporaryDirectory() as temporary:
        runner = Runner(args, pathlib.Path(temporary))
        for at in range(0, len(programs), CHUNK):
            chunk = programs[at:at + CHUNK]
            for tier, found, n in runner.compare(chunk):
                number += 1
                failed += bool(found)
                insns += n
                print('%sok %d - %s: %s and %d more: %d instructions' % (
                    'not ' if found else '', number, tier, chunk[0].path,
                    len(chunk) - 1, n), flush=True)
                for why in found[:8]:
                    print('#', why)
    print(f'1..{number}')
    print(f'# {len(programs)} programs, {insns} instructions; the lanes of '
          f'{runner.known} of {runner.kernels} kernels are known')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
