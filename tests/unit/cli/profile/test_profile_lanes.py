#!/usr/bin/env python3
"""softlake profile --lanes on kernels whose lanes are worked out by hand. TAP.

usage: test_profile_lanes.py SOFTLAKE
"""
import csv
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SOFTLAKE = sys.argv[1]
END = ('010060000c02e02f00008d0000000000'  # (W) mov (8) r127 r0
       '3100600704020020e00f000610000082')  # (W) send (8) EOT

# r1 and r2 have the lanes' numbers, 0 to 15. Assembled by iga64.
LOOP = bytes.fromhex(
    '05008000280a402120008d0e07000000'  # and (16) r10 r1 7
    '10008001200a002040018d0e00000000'  # cmp (16) (eq)f0.0 null r10 0
    '28008100000e00203000000020000000'  # (f0.0) break (16)
    '40008000280a402140018d0effffffff'  # add (16) r10 r10 -1
    '27008000000000200000000ed0ffffff'  # while (16), to the cmp
    '01008000280a802120008d0000000000'  # mov (16) r12 r1
    + END)
PARITY = bytes.fromhex(
    '05008002280a402120008d0e01000000'  # and (16) (ne)f0.0 r10 r1 1
    '22008100000e00205000000030000000'  # (f0.0) if (16)
    '40008000280a802120008d0e64000000'  # add (16) r12 r1 100
    '24008000000e00203000000030000000'  # else (16)
    '40006000280a802120008d0ec8000000'  # add (8|M0) r12 r1 200
    '40106000280aa02140008d0ec8000000'  # add (8|M8) r13 r2 200
    '25008000000000200000000e10000000'  # endif (16)
    + END)

number = 0


def check(good, text, *why):
    global number
    number += 1
    print('%s %d - %s' % ('ok' if good else 'not ok', number, text))
    if not good:
        print('#', *why)


def profile(folder, code, mask, *options, tier='jit', **env):
    file, grf, out = folder / 'k.bin', folder / 'k.grf', folder / 'k.json'
    file.write_bytes(code)
    grf.write_text('r1:d %s\nr2:d %s\n' % (
        ' '.join(map(str, range(8))), ' '.join(map(str, range(8, 16)))))
    out.unlink(missing_ok=True)
    done = subprocess.run(
        [SOFTLAKE, 'profile', f'--json={out}', *options, '--', SOFTLAKE,
         'eu-run', file, '--grf', grf, '--simd', '16', '--mask', '%x' % mask,
         '--tier', tier],
        text=True, timeout=60, capture_output=True, env={**os.environ, **env})
    return json.loads(out.read_text()) if out.exists() else None, done


def branch(*numbers):
    """all, none, divergent, lanes that take it"""
    return numbers


def expect(p, done, name, rows):
    """rows: executions, lanes and branch of each instruction."""
    k = p['kernels'][0]
    ways = {b['ip']: (b['all'], b['none'], b['divergent'], b['taken_lanes'])
            for b in k['branches']}
    got = [(i['count'], i['lanes'], ways.get(i['ip'])) for i in k['insns']]
    want = [(*r, None)[:3] for r in rows] + [(1, 8, None)] * 2
    check(got == want, name, got, done.stderr)


def histograms(p):
    """Of the first kernel: offset, instructions, executions by lanes."""
    return [(h['ip'], h['insns'], h['active_lanes'])
            for h in p['kernels'][0]['lane_histograms']]


def loop(folder, **env):
    """Lane i leaves the loop after i & 7 turns. Of eight lanes 8, 7, .. 1 are
    on in the comparison: 36 of 64; 7, 6, .. 1 in the body: 28 of 56. The last
    WHILE has none."""
    p, done = profile(folder, LOOP, 0xffff, '--lanes', **env)
    expect(p, done, 'a loop of i & 7 turns %s' % env, (
        (1, 16), (8, 72), (8, 72, branch(1, 0, 7, 16)), (7, 56),
        (8, 56, branch(7, 1, 0, 56)), (1, 16)))
    k = p['kernels'][0]
    check(k['lanes'] == 16 + 72 + 72 + 56 + 56 + 16 and
          k['channels'] == 16 * 33, 'the sums leave out (W)', k['lanes'],
          k['channels'])
    check(abs(k['simd_efficiency'] - 288 / 528) < 1e-9 and
          ' 8.7  55%' in done.stderr, 'SIMD efficiency', done.stderr)
    k = p['kernels'][0]
    check((k['grf_max_live'], k['grf_max_live_ip']) == (5, 0x10) and
          'flops' in k and not k['flops'],
          'r0, r1 and r2, r10 and r11 are live; no float operation', k)
    check(histograms(p) == [
        (0x00, 1, {'16': 1}),
        (0x10, 2, {str(2 * n): 1 for n in range(1, 9)}),
        (0x30, 1, {str(2 * n): 1 for n in range(1, 8)}),
        (0x40, 1, {'0': 1, **{str(2 * n): 1 for n in range(1, 8)}}),
        (0x50, 1, {'16': 1})], 'its histograms', histograms(p))
    # Lanes 0, 1, 8 and 9: at most two turns.
    p, done = profile(folder, LOOP, 0x0303, '--lanes', **env)
    expect(p, done, 'the loop with four lanes %s' % env, (
        (1, 4), (2, 6), (2, 6, branch(1, 0, 1, 4)), (1, 2),
        (2, 2, branch(1, 1, 0, 2)), (1, 4)))


def parity(folder, **env):
    """Odd lanes take the IF, even lanes the ELSE: each side has 50 %."""
    for mask, rows in (
            (0xffff, ((1, 16), (1, 16, branch(0, 0, 1, 8)), (1, 8), (1, 8),
                      (1, 4), (1, 4), (1, 16))),
            (0xaaaa, ((1, 8), (1, 8, branch(1, 0, 0, 8)), (1, 8), (1, 8),
                      (0, 0), (0, 0), (1, 8))),
            (0x0055, ((1, 4), (1, 4, branch(0, 1, 0, 0)), (0, 0), (0, 0),
                      (1, 4), (1, 0), (1, 4)))):
        p, done = profile(folder, PARITY, mask, '--lanes', **env)
        expect(p, done, 'an IF of odd lanes, mask %04x %s' % (mask, env), rows)
    # The last mask: lanes 0, 2, 4 and 6, of which the ELSE has all.
    check(histograms(p) == [
        (0x00, 2, {'4': 1}), (0x40, 1, {'4': 1}), (0x50, 1, {'0': 1}),
        (0x60, 1, {'4': 1})], 'its histograms', histograms(p))


def entry(folder):
    """The first instruction has the lanes of the dispatch mask."""
    for mask in 1, 0x8000, 0x5a5a, 0x7fff, 0xff:
        p, done = profile(folder, PARITY, mask, '--lanes')
        check(p and p['kernels'][0]['insns'][0]['lanes'] ==
              bin(mask).count('1'), 'lanes at entry, mask %04x' % mask, done)


def without(folder):
    p, done = profile(folder, PARITY, 0xffff)
    text = json.dumps(p)
    check(not re.search('"(lanes|lane_histograms|branches|simd_efficiency|channels)"', text),
          'without --lanes the keys are absent', text)
    check('lanes/16' not in done.stderr, 'without --lanes no column', done.stderr)


def gates(folder):
    for expr, want in (('simd_efficiency<0.5', 0), ('simd_efficiency<0.6', 1),
                       ('simd_efficiency>0.5', 1)):
        _, done = profile(folder, LOOP, 0xffff, '--fail-if=' + expr)
        check(done.returncode == want, '--fail-if=' + expr, done.stderr)
    p, done = profile(folder, LOOP, 0xffff, '--fail-if=simd_efficiency<2',
                      '--stage=vs')
    check(done.returncode == 0, 'no instruction is no efficiency', done.stderr)


def limiters(folder):
    """55 % of the loop's lanes are active; its BREAK diverges."""
    for options, want in (['--lanes'], [(0x20, 288 / 528)]), ([], []):
        p, done = profile(folder, LOOP, 0xffff, *options)
        found = [(f['ip'], f['value']) for f in p['findings']
                 if f['rule'] == 'SIMD efficiency']
        check(found == want, 'the limiter SIMD efficiency %s' % options,
              p['findings'])


def annotate(folder):
    profile(folder, LOOP, 0xffff, '--lanes')
    out = subprocess.run([SOFTLAKE, 'annotate', folder / 'k.json'], text=True,
                         capture_output=True, timeout=60).stdout
    check('\nmessages:            1 |           8 lanes  spawner: ' in out,
          'annotate lists messages', out)
    check(', 35 instructions, 54.5% of lanes active ===' in out and
          re.search(r'\[ +8 \| +72 \] 0x0020 : \(f0.0\)  break .* // all 1, '
                    'none 0, divergent 7; 16 of 72 lanes\n', out),
          'annotate shows lanes and branches', out)
    check('\nlanes: 0x0000 (16|M0), 1 instruction, 1 times: 16: 1\n' in out and
          '\n       0x0040 (16|M0), 1 instruction, 8 times: 0: 1, 2: 1, 4: 1, '
          in out, 'annotate shows histograms', out)
    csv_dir = folder / 'csv'
    subprocess.run([SOFTLAKE, 'profile', '-q', f'--from={folder / "k.json"}',
                    f'--csv={csv_dir}'], check=True, timeout=60)
    with open(csv_dir / 'lanes.csv', newline='') as f:
        rows = list(csv.DictReader(f))
    check(sum(int(r['insns']) * int(r['active_lanes']) * int(r['count'])
              for r in rows) == 288, 'lanes.csv has all lanes', rows)


def jumps(folder):
    """Callgrind's arrows: BREAK leaves in the last turn alone, WHILE turns back
    before; the IF is skipped if no lane enters."""
    for code, mask, want in (
            (LOOP, 0xffff, ['jcnd=1/8 0x40 0', '0x20 0', 'jcnd=7/8 0x10 0',
                            '0x40 0']),
            (LOOP, 0x0303, ['jcnd=1/2 0x40 0', '0x20 0', 'jcnd=1/2 0x10 0',
                            '0x40 0']),
            (PARITY, 0xffff, []), (PARITY, 0xaaaa, []),
            (PARITY, 0x0055, ['jcnd=1/1 0x40 0', '0x10 0'])):
        cg = folder / 'cg.out'
        p, done = profile(folder, code, mask, '--lanes', f'--callgrind={cg}')
        lines = cg.read_text().splitlines()
        found = [l for i, line in enumerate(lines) if line.startswith('j')
                 for l in lines[i:i + 2]]
        check(found == want, 'callgrind has the jumps, mask %04x' % mask, found)
        if shutil.which('callgrind_annotate'):
            out = subprocess.run(['callgrind_annotate', cg], text=True,
                                 capture_output=True, timeout=60)
            total = p['totals']['insn']
            check(re.search(r'^%d \(100.0%%\) .* PROGRAM TOTALS$' % total,
                            out.stdout, re.M) and
                  'WARNING' not in out.stdout + out.stderr,
                  'callgrind_annotate reads them', out.stdout, out.stderr)
    profile(folder, LOOP, 0xffff, f'--callgrind={cg}')
    check(not re.search('^j', cg.read_text(), re.M),
          'without --lanes jumps are not known')


def diff(folder):
    """Masks differ in lanes alone."""
    files = []
    for mask in 0xffff, 0x00ff:
        p, _ = profile(folder, PARITY, mask, '--lanes')
        files.append(folder / ('%04x.json' % mask))
        files[-1].write_text(json.dumps(p))
    run = lambda *a: subprocess.run([SOFTLAKE, 'diff', *a], text=True,
                                    capture_output=True, timeout=60)
    done = run(*files)
    want = [k['lanes'] for f in files
            for k in json.loads(f.read_text())['kernels']]
    lanes = re.search(r'A lanes +B lanes .*\n +(\d+) +(\d+) .*\n +(\d+) +(\d+)',
                      done.stdout)
    check(done.returncode == 0 and lanes and
          list(map(int, lanes.groups())) == want * 2,
          'diff: lanes of both', done.stdout, want)
    check('A threads' not in done.stdout, 'diff: equal figures are left out',
          done.stdout)
    check('A threads' in run('--figure=threads', '--all', *files).stdout,
          'diff: --figure shows one', done.stdout)
    check(run('--fail-above=0', *files).returncode == 0 and
          run('--fail-above=0', *files[::-1]).returncode == 0,
          'diff: the limit is for instructions')
    check(run('--fail-above=0', '--figure=lanes', *files).returncode == 0 and
          run('--fail-above=0', '--figure=lanes',
              *files[::-1]).returncode == 1,
          'diff: or for the figure that is asked for')
    check(run('--figure=pixels', *files).returncode == 1,
          'diff: no such figure')


def main():
    with tempfile.TemporaryDirectory() as d:
        folder = pathlib.Path(d)
        loop(folder, tier='interp')
        parity(folder, tier='interp')
        for cpu in 'avx512', 'avx2':
            loop(folder, SOFTLAKE_CPU=cpu)
            parity(folder, SOFTLAKE_CPU=cpu)
        entry(folder)
        without(folder)
        gates(folder)
        limiters(folder)
        annotate(folder)
        jumps(folder)
        diff(folder)
    print('1..%d' % number)


main()
