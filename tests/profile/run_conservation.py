#!/usr/bin/env python3
"""softlake profile: counts obey equations that need no other profile.

usage: run_conservation.py SOFTLAKE SCENES        every client scene
       run_conservation.py SOFTLAKE --glmark2     every scene of glmark2

counts.py has the equations: among others, as many runs go into each basic block
as run and as many go out of it, threads end as often as they begin, the sum is
what --stats counts. Counts that were changed by hand must violate some. TAP.
"""
import copy
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent /
                       'client'))

import counts
import run_glmark2

SOFTLAKE = os.path.abspath(sys.argv[1])
TIMEOUT_S = 300
results = []


def report(ok, name, *why):
    results.append(bool(ok))
    print('%sok %d - %s' % ('' if ok else 'not ', len(results), name))
    for line in why if not ok else ():
        print('#', str(line).replace('\n', '\n# '))
    sys.stdout.flush()


def profile(folder, command):
    path = folder / 'profile.json'
    path.unlink(missing_ok=True)
    done = subprocess.run(
        [SOFTLAKE, '--stats', 'profile', '-q', '--lanes', f'--json={path}',
         '--', *map(str, command)], text=True, capture_output=True,
        stdin=subprocess.DEVNULL, timeout=TIMEOUT_S)
    return json.loads(path.read_text()) if path.exists() else None, \
        done.stdout + done.stderr


def check(folder, name, command):
    p, text = profile(folder, command)
    if not p or not p['totals']['insn']:
        report(p and name in EMPTY, f'{name}: a profile', text[-500:])
        return None
    found = counts.problems(p, text)
    report(not found, f'{name}: {p["totals"]["insn"]} instructions', *found[:5])
    return p, text


# Scenes without a thread.
EMPTY = set()


def insn_of(p, rng):
    k = rng.choice([k for k in p['kernels'] if k['insn']])
    return k, rng.choice([i for i in k['insns'] if i['count']])


def one_more(p, rng):
    """As a counter that another thread has written."""
    insn_of(p, rng)[1]['count'] += 1


def block_twice(p, rng):
    """As a block that was counted again after a thread was resumed."""
    k, insn = insn_of(p, rng)
    block = next(b for b in counts.blocks_of(k['insns']).values()
                 if insn in b.insns)
    for i in block.insns:
        i['count'] += 1
    k['insn'] += len(block.insns)
    p['totals']['insn'] += len(block.insns)


def thread_lost(p, rng):
    """As a thread whose counts were thrown away."""
    k = rng.choice([k for k in p['kernels'] if k['insn'] and
                    k['threads'] > 1 and all(i['count'] == k['threads']
                                             for i in k['insns'])])
    for i in k['insns']:
        i['count'] -= 1
    k['threads'] -= 1
    k['insn'] -= len(k['insns'])
    p['totals']['insn'] -= len(k['insns'])


def lane_lost(p, rng):
    k = rng.choice([k for k in p['kernels'] if k['insn']])
    i = rng.choice([i for i in k['insns'] if i['lanes'] and
                    'fixed_lanes' in i])
    i['lanes'] -= 1


def lanes_above(p, rng):
    i = insn_of(p, rng)[1]
    i['lanes'] = i['count'] * i['exec_size'] + 1


def message_lost(p, rng):
    k = rng.choice([k for k in p['kernels'] if k['messages']])
    rng.choice(k['messages'])['count'] -= 1


def branch_wrong(p, rng):
    k = rng.choice([k for k in p['kernels'] if k.get('branches')])
    rng.choice(k['branches'])['divergent'] += 1


def bin_moved(p, rng):
    k = rng.choice([k for k in p['kernels'] if k.get('lane_histograms')])
    bins = rng.choice(k['lane_histograms'])['active_lanes']
    n = rng.choice(list(bins))
    bins[n] -= 1
    other = str(int(n) - 1 if int(n) else 1)
    bins[other] = bins.get(other, 0) + 1


def check_plants(p, text):
    """The equations find counts that cannot be."""
    rng = random.Random(1)
    for plant in (one_more, block_twice, thread_lost, lane_lost, lanes_above,
                  message_lost, branch_wrong, bin_moved):
        missed = 0
        for _ in range(20):
            changed = copy.deepcopy(p)
            plant(changed, rng)
            missed += not counts.problems(changed, text)
        report(not missed, f'planted: {plant.__name__} is found', missed)


def main():
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        if sys.argv[2] == '--glmark2':
            for name in run_glmark2.SCENES:
                check(folder, 'glmark2 ' + name.split(':', 1)[0],
                      ['glmark2-es2-drm', '--off-screen', '--size', '200x150',
                       '-b', name + ':nframes=3'])
        else:
            scenes = os.path.abspath(sys.argv[2])
            out = subprocess.run([scenes, '--list'], text=True,
                                 capture_output=True).stdout
            for line in out.splitlines():
                name = line.split()[0]
                found = check(folder, name, [scenes, name, folder / 'a.png'])
                if name == 'control-flow' and found:
                    check_plants(*found)
    print('1..%d' % len(results))
    return 0 if all(results) else 1


sys.exit(main())
