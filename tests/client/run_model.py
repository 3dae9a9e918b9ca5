#!/usr/bin/env python3
"""softlake profile: the cycle model against silicon, and in all reports.

usage: run_model.py MAD_CL SOFTLAKE

Chains of dependent MADs run at 340 to 374 GFLOP/s on a UHD 630 of 24 EUs at
1100 MHz, as clpeak measured (krrishnarraj/clpeak#202). TAP.
"""
import csv
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

MAD_CL, SOFTLAKE = (os.path.abspath(p) for p in sys.argv[1:3])
FLOP_PER_ITEM = 2 * 2048
MEASURED, WITHIN = 360, 0.10
LIMITS = 'fpu', 'math', 'flow', 'sampler', 'pixels', 'latency'
results = []


def report(ok, name, *why):
    results.append(bool(ok))
    print('%sok %d - %s' % ('' if ok else 'not ', len(results), name))
    if not ok:
        print('#', *why)
    sys.stdout.flush()


def run(*command):
    return subprocess.run(list(map(str, command)), text=True,
                          capture_output=True, timeout=200)


def profile(path, *options):
    done = run(SOFTLAKE, 'profile', f'--json={path}', *options)
    return json.loads(path.read_text()), done


def tables(kernel):
    return {m['table']: m for m in kernel.get('model', ())}


def gflops(kernel, items, table):
    return items * FLOP_PER_ITEM / tables(kernel)[table]['us'] / 1000


def check_silicon(p, items):
    for k in p['kernels']:
        rates = [gflops(k, items[k['name']], t) for t in 'AB']
        report(all(abs(r / MEASURED - 1) <= WITHIN for r in rates),
               '%s: %d within %d%%' % (k['name'], MEASURED, 100 * WITHIN),
               rates, k['model'])
        print('# %s: SIMD%d, %.0f and %.0f GFLOP/s' % (
            k['name'], k['simd'], *rates))


def check_sums(p):
    """The bounds are the largest part, and the parts follow from counts."""
    for k in p['kernels']:
        for name, m in tables(k).items():
            report(abs(max(m[f'{n}_us'] for n in LIMITS) - m['us']) < 1e-9 and
                   'memory_us' not in m and 'local_us' not in m, 'parts of %s, table %s' %
                   (k['name'], name), m)
        alone = sum(i['count'] * i['clocks'] for i in k['insns'])
        shown = tables(k)['A']
        report(abs(alone / 168 / shown['clock_MHz'] - shown['latency_us']) <
               0.01, 'latency of %s is the sum of its instructions' %
               k['name'], alone, shown)


def check_memory(folder):
    """A store of four bytes each work item: lines of 64 bytes."""
    p, _ = profile(folder / 'memory.json', '--memory', '--', MAD_CL)
    for k in p['kernels']:
        lines = sum(s['lines'] for s in k['sends'])
        us = lines / 3 / 1150
        report(abs(tables(k)['A'].get('memory_us', 0) - us) < 0.001 and
               lines >= k['threads'], 'memory of ' + k['name'], lines, k['model'])


def check_flops(folder, items):
    """Of the MADs; each work item computes a few others, too."""
    p, _ = profile(folder / 'lanes.json', '--lanes', '--', MAD_CL)
    for k in p['kernels']:
        a_item = k['flops'].get('f32', 0) / items[k['name']]
        report(0 <= a_item - FLOP_PER_ITEM < 16 and
               k['grf_max_live'] <= 128, 'float operations of ' + k['name'],
               a_item, k['flops'], k['grf_max_live'])


def check_options(folder, path, p):
    again = folder / 'again.json'
    off, done = profile(again, '--model=off', f'--from={path}')
    report(not any('model' in k or 'clocks' in k['insns'][0]
                   for k in off['kernels']) and 'model' not in done.stderr,
           '--model=off', done.stderr)
    for table in 'AB':
        one, _ = profile(again, f'--model={table}', f'--from={path}')
        report(all(list(tables(k)) == [table] for k in one['kernels']),
               f'--model={table}')
    half, done = profile(again, '--clock=550', f'--from={path}')
    report(all(abs(tables(k)['A']['us'] / tables(old)['A']['us'] - 2) < 0.01
               for k, old in zip(half['kernels'], p['kernels'])) and
           '@0.55GHz' in done.stderr, '--clock', done.stderr)
    for option in '--model=C', '--clock=0', '--clock=fast':
        report(run(SOFTLAKE, 'profile', option, f'--from={path}').returncode,
               option + ' is refused')


def check_tables(folder, path, p):
    run(SOFTLAKE, 'profile', '-q', f'--from={path}', '--sort=model',
        '--clock=1100', f'--csv={folder}')
    with open(folder / 'kernels.csv', newline='') as f:
        rows = list(csv.DictReader(f))
    most = {k['name']: max(m['us'] for m in k['model']) for k in p['kernels']}
    times = [float(r['model_most_us']) for r in rows]
    report(all(abs(most[r['name']] - float(r['model_most_us'])) < 0.001 and
               r['model_limit'] == 'FPU' for r in rows) and
           times == sorted(times, reverse=True),
           'kernels.csv has the model, and --sort=model', rows)


def check_reports(folder, path):
    out = run(SOFTLAKE, 'annotate', '--model', path, 'mad_1').stdout
    mads = re.findall(r'\| +(\d+) clk \] 0x[0-9a-f]+ : +mad ', out)
    report(re.search(r'^model: .* us at 1\.10 GHz, limit: FPU$', out,
                     re.MULTILINE) and mads and all(int(n) for n in mads),
           'annotate --model', out)
    page = folder / 'report.html'
    run(SOFTLAKE, 'profile', '-q', f'--from={path}', f'--html={page}')
    report('model us' in page.read_text(), 'the report has the model')


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        path = folder / 'profile.json'
        p, done = profile(path, '--clock=1100', '--', MAD_CL)
        items = dict((k, int(n)) for k, n in
                     (line.split() for line in done.stdout.splitlines()))
        report(set(items) == {k['name'] for k in p['kernels']} and
               '(FPU)' in done.stderr, 'all kernels ran, FPU limits them',
               done.stderr)
        check_silicon(p, items)
        check_sums(p)
        check_memory(folder)
        check_flops(folder, items)
        check_options(folder, path, p)
        check_tables(folder, path, p)
        check_reports(folder, path)
    print('1..%d' % len(results))
    return not all(results)


sys.exit(main())
