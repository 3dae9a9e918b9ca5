#!/usr/bin/env python3
"""What `softlake profile` costs: CPU time of glbench's rows at each level.

usage: tests/bench/profile_cost.py [--build DIR] [--filter REGEX] [--starts N]
                                   [--levels LIST]

Compared with the same row under `softlake` without the shortcuts that `profile`
switches off, on one core. Processes take turns and start anew N times (3),
because one that has started badly stays slow. A table of ratios, then mean and
worst per level.
"""
import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / 'tests' / 'bench'))

import measure  # noqa: E402

WARM_S, SAMPLE_S, SAMPLES = 0.05, 0.15, 2


class Level(measure.Config):
    """A level of `softlake profile`; 'none': without it."""

    def __init__(self, name, launcher, shortcuts):
        super().__init__('softlake', 1, launcher)
        self.name, self.shortcuts = name, shortcuts

    def launch(self, argv):
        words = [self.launcher, '-j', '0']
        if self.name != 'none':
            words += ['profile', '-q', '--' + self.name]
        return words + ['--'] + list(argv)

    def variables(self, api):
        chosen = super().variables(api)
        if self.name == 'none':
            chosen['SOFTLAKE_PERF'] = self.shortcuts
        return chosen


def shortcuts_off(launcher):
    """As profile.json names them."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / 'profile.json'
        subprocess.run([launcher, 'profile', '-q', f'--json={path}', '--',
                        'true'], check=True)
        return json.loads(path.read_text())['shortcuts_off']


def samples(program, row, levels):
    """Seconds of CPU time a frame of one start, by level."""
    processes, found = {}, {}
    try:
        for level in levels:
            processes[level.name] = measure.Process(program, row, level,
                                                    'gl')
        for n in range(SAMPLES + 1):
            for name, process in processes.items():
                answer = process.ask('time %g' % (SAMPLE_S if n else WARM_S))
                frames, _, cpu, _ = map(float, answer.split())
                if n:
                    found.setdefault(name, []).append(cpu / frames)
    finally:
        for process in processes.values():
            process.close()
    return found


def ratios(program, row, levels, starts):
    """Of the medians over all starts; every other one in opposite order."""
    all_s = {level.name: [] for level in levels}
    for n in range(starts):
        order = levels[::-1] if n % 2 else levels
        for name, values in samples(program, row, order).items():
            all_s[name] += values
    base = statistics.median(all_s['none'])
    return [statistics.median(all_s[level.name]) / base
            for level in levels[1:]]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    parser.add_argument('--build', default=ROOT / 'build', type=pathlib.Path)
    parser.add_argument('--filter', default='', type=re.compile)
    parser.add_argument('--starts', default=3, type=int)
    parser.add_argument('--levels', default='counts,lanes')
    args = parser.parse_args()
    launcher = str(args.build / 'src' / 'cli' / 'softlake')
    program = str(args.build / 'tests' / 'bench' / 'glbench')
    listed = subprocess.run([program, '--list'], stdout=subprocess.PIPE,
                            check=True, text=True).stdout.splitlines()
    rows = [line.split()[0] for line in listed]
    off = shortcuts_off(launcher)
    levels = [Level(name, launcher, off)
              for name in ['none'] + args.levels.split(',')]
    print('%-36s' % 'row', *('%8s' % level.name for level in levels[1:]))
    all_rows = []
    for row in filter(args.filter.search, rows):
        found = ratios(program, row, levels, args.starts)
        all_rows.append(found)
        print('%-36s' % row, *('%8.3f' % r for r in found), flush=True)
    if not all_rows:
        return 1
    for name, of in (('mean', statistics.geometric_mean), ('worst', max)):
        print('%-36s' % ('%s of %d rows' % (name, len(all_rows))),
              *('%8.3f' % of(column) for column in zip(*all_rows)))
    return 0


if __name__ == '__main__':
    os.environ.pop('SOFTLAKE_PERF', None)
    sys.exit(main())
