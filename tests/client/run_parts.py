#!/usr/bin/env python3
"""softlake profile of parts: ranges, --control, and tables of --per.

usage: run_parts.py PROFILE_PARTS SCENES SOFTLAKE [NAMED_CL]

A draw of profile_parts covers 64x64 pixels, so it runs 256 threads of 16 lanes;
its shader is the one with a sine. Sums over parts are compared with the whole,
with the interpreter's, and between numbers of threads. TAP.
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

PARTS, SCENES, SOFTLAKE = (os.path.abspath(p) for p in sys.argv[1:4])
NAMED = os.path.abspath(sys.argv[4]) if len(sys.argv) > 4 else None
THREADS_DRAW = 64 * 64 // 16
results = []


def report(ok, name, *why):
    results.append(bool(ok))
    print('%sok %d - %s' % ('' if ok else 'not ', len(results), name))
    if not ok:
        print('#', *why)
    sys.stdout.flush()


def skip(name, why):
    results.append(True)
    print('ok %d - %s # SKIP %s' % (len(results), name, why))


def run(command, **env):
    return subprocess.run(list(map(str, command)), env={**os.environ, **env},
                          text=True, capture_output=True, timeout=300)


def profile(folder, command, *options, softlake=(), **env):
    path = folder / 'profile.json'
    path.unlink(missing_ok=True)
    done = run([SOFTLAKE, *softlake, 'profile', f'--json={path}', *options,
                '--', *command], **env)
    return json.loads(path.read_text()) if path.exists() else None, done


def is_ours(kernel):
    return kernel['stage'] == 'fs' and \
        any('math' in i['text'] for i in kernel['insns'])


def draws_of(p):
    """How many draws of profile_parts were counted."""
    threads = sum(k['threads'] for k in p['kernels'] if is_ours(k))
    return threads / THREADS_DRAW


def table(path):
    with open(path, newline='') as f:
        return list(csv.DictReader(f))


def parts_of(p):
    """(kernel, stage, threads, insn) of each draw and dispatch."""
    return [(d['draw'], k['kernel'], k['threads'], k['insn'],
             k.get('lanes'), k.get('channels'))
            for d in p.get('draw_kernels', ()) for k in d['kernels']] + \
           [(d['dispatch'], d['kernel'], d['threads'], d['insn'],
             d.get('lanes'), d.get('channels'))
            for d in p.get('dispatches', ())]


def check_sums(folder, name, command):
    """Draws and dispatches add up to the whole, for any number of threads."""
    whole, done = profile(folder, command, '--counts', '--lanes')
    want = {k['name']: (k['threads'], k['insn'], k['lanes'], k['channels'])
            for k in whole['kernels'] if k['insn']}
    first = None
    for threads, env in (('0', {}), ('1', {}), ('2', {}), ('8', {}),
                         ('2', {'SOFTLAKE_EU': 'interp'})):
        p, done = profile(folder, command, '--lanes', '--per=draw',
                          softlake=['-j', threads], **env)
        sums = {}
        for _, kernel, *values in parts_of(p):
            old = sums.get(kernel, (0, 0, 0, 0))
            sums[kernel] = tuple(map(sum, zip(old, values)))
        found = {k['name']: (k['threads'], k['insn'], k['lanes'],
                             k['channels']) for k in p['kernels'] if k['insn']}
        report(found == want, f'{name}: {threads} threads {env}: the whole is '
               'that without parts', done.stderr, found, want)
        report(sums == want, f'{name}: {threads} threads {env}: parts add up '
               'to the whole', sums, want)
        first = first or parts_of(p)
        report(parts_of(p) == first, f'{name}: {threads} threads {env}: the '
               'same parts', done.stderr)


def check_ranges(folder):
    steps = ['draw:1', 'draw:2', 'draw:3']
    whole, done = profile(folder, [PARTS, *steps], '--per=draw')
    report(whole and draws_of(whole) == 6, 'all draws are counted',
           done.stderr, whole and draws_of(whole))
    ours = {k['name'] for k in whole['kernels'] if is_ours(k)}
    mine = [d for d in whole['draw_kernels']
            if ours & {k['kernel'] for k in d['kernels']}]
    report([k['threads'] for d in mine for k in d['kernels']
            if k['stage'] == 'fs'] == 6 * [THREADS_DRAW],
           'each draw has its threads', *mine)
    report(all(d['vertices'] == 3 and d['instances'] == 1 for d in mine),
           'each draw has its vertices')
    submits = [d['submit'] for d in mine]
    report([submits.count(s) for s in sorted(set(submits))] == [1, 2, 3],
           'each draw has its submission', submits)
    number = [d['draw'] for d in mine]
    for option, want in (
            (f'--draws={number[1]}-{number[3]}', 3),
            (f'--draws={number[2]}', 1), (f'--draws={number[4]}-', 2),
            (f'--draws=-{number[0]}', 1), ('--draws=100000-', 0),
            (f'--submits={submits[1]}', 2), (f'--submits={submits[1]}-', 5),
            ('--dispatches=1-', 0), ('--frames=1', 6), ('--frames=2-', 0)):
        for env in {}, {'SOFTLAKE_EU': 'interp'}, {'SOFTLAKE_THREADS': '0'}:
            p, done = profile(folder, [PARTS, *steps], option, **env)
            report(draws_of(p) == want, f'{option} {env}: {want} draws',
                   draws_of(p), done.stderr)
    p, done = profile(folder, [PARTS, *steps], f'--draws={number[2]}',
                      '--as-run')
    report(draws_of(p) == 1 and p['shortcuts_off'] == 'no_wait,no_merge',
           '--as-run: draws are told apart', done.stderr)
    for bad in '2-1', 'x', '', '0', '1-2-3', '-':
        done = run([SOFTLAKE, 'profile', f'--draws={bad}', 'true'])
        report(done.returncode == 125 and 'a range is' in done.stderr or
               'a range wants' in done.stderr, f"--draws='{bad}' is no range",
               done.stderr)


def check_frames(folder):
    steps = ['draw:1', 'flip', 'draw:2', 'flip', 'draw:3', 'flip', 'draw:1']
    for frames, want in ('1', 1), ('2', 2), ('3', 3), ('2-3', 5), ('2-', 6):
        p, done = profile(folder, [PARTS, *steps], f'--frames={frames}')
        report(p and draws_of(p) == want, f'--frames={frames}: {want} draws',
               done.stderr, p and draws_of(p))
    p, done = profile(folder, [PARTS, *steps], '--per=frame',
                      f'--csv={folder}/csv', f'--html={folder}/report.html')
    rows = table(folder / 'csv/frames.csv')
    page = (folder / 'report.html').read_text()
    part = page[page.find('<section id="frames">'):]
    bars = re.findall(r'<tr><td class="n">\d+</td><td class="n">(\d+)</td>'
                      r'<td class="n">(\d+)</td><td class="n">\d+</td>'
                      r'<td class="n">(\d+)</td>',
                      part[:part.find('</section>')])
    report(bars == [(r['frame'], r['draws'], r['insn']) for r in rows],
           'the report has all frames', bars, rows)
    report([r['frame'] for r in rows] == ['1', '2', '3', '4'] and
           sum(int(r['insn']) for r in rows) == p['totals']['insn'],
           'frames.csv has all frames', *rows)


def check_tables(folder):
    p, done = profile(folder, [PARTS, 'draw:1', 'draw:2'], '--lanes',
                      '--per=draw', f'--csv={folder}/csv')
    saved = folder / 'saved.json'
    saved.write_text(json.dumps(p))
    total = p['totals']
    rows = table(folder / 'csv/draw_kernels.csv')
    report([(int(r['draw']), int(r['insn'])) for r in rows] ==
           [(d['draw'], sum(k['insn'] for k in d['kernels']))
            for d in p['draw_kernels']], 'draw_kernels.csv is the list', *rows)
    for per, file in (('draw', 'draw_kernels'), ('submit', 'submits'),
                      ('frame', 'frames'), ('shader', 'shaders')):
        shutil.rmtree(folder / 'csv')
        run([SOFTLAKE, 'profile', '-q', f'--from={saved}', f'--per={per}',
             f'--csv={folder}/csv'])
        rows = table(folder / f'csv/{file}.csv')
        report([sum(int(r[c]) for r in rows)
                for c in ('insn', 'lanes', 'channels')] ==
               [total['insn'], total['lanes'], total['channels']],
               f'--per={per}: {file}.csv has the totals', *rows)
    ours = [r for r in rows if int(r['draws']) == 3 and r['fs'] != '-']
    report(any(int(r['threads']) > 3 * THREADS_DRAW for r in ours),
           'shaders.csv: draws with the same shaders are a row', *rows)
    out = folder / 'alone'
    run([SOFTLAKE, 'profile', '--per=submit', '-o', out, '--', PARTS,
         'draw:1'])
    report((out / 'csv/submits.csv').exists(), '--per alone writes tables')
    run([SOFTLAKE, 'profile', '-q', f'--from={saved}', '--stage=fs',
         f'--json={folder}/fs.json'])
    fs = json.loads((folder / 'fs.json').read_text())
    report({k['stage'] for d in fs['draw_kernels'] for k in d['kernels']} ==
           {'fs'}, '--stage: parts of others are left out')
    report(run([SOFTLAKE, 'profile', '--per=pixel', 'true']).returncode == 125,
           '--per=pixel: no such rows')


def check_control(folder):
    fifo = folder / 'fifo'
    for steps, options, want in (
            (['draw:1', 'pause', 'draw:2', 'resume', 'draw:3'], [], 4),
            (['draw:1', 'resume', 'draw:2', 'pause', 'draw:3'],
             ['--start-paused'], 2),
            (['draw:1', 'stop', 'draw:2', 'resume', 'draw:3'], [], 1),
            (['draw:1', 'nonsense', 'draw:2'], [], 3)):
        for env in {}, {'SOFTLAKE_EU': 'interp'}, {'SOFTLAKE_THREADS': '8'}:
            p, done = profile(folder, [PARTS, *steps], f'--control={fifo}',
                              *options, PARTS_FIFO=str(fifo), **env)
            report(p and draws_of(p) == want,
                   f"control: {' '.join(steps)} {env}: {want} draws",
                   done.stderr, p and draws_of(p))
    report("no command 'nonsense'" in done.stderr,
           'control: unknown commands are told', done.stderr)
    report(not fifo.exists(), 'control: the FIFO is removed')
    p, done = profile(folder, [PARTS, 'draw:1', 'snapshot', 'draw:2',
                               'snapshot', 'draw:3'], f'--control={fifo}',
                      PARTS_FIFO=str(fifo))
    names = [folder / f'profile.json{n}' for n in ('.1', '.2', '')]
    report(all(n.exists() for n in names) and
           [draws_of(json.loads(n.read_text())) for n in names] == [1, 3, 6],
           'control: snapshots have what came before', done.stderr)
    for name in names:
        name.unlink(missing_ok=True)
    profile(folder, [PARTS, 'draw:1', 'snapshot', 'snapshot', 'draw:2',
                     'snapshot', 'draw:3'], f'--control={fifo}',
            PARTS_FIFO=str(fifo))
    report(names[0].exists() and names[1].exists() and
           draws_of(json.loads(names[1].read_text())) == 3,
           'control: two snapshots at once are one')
    done = run([SOFTLAKE, 'profile', '--start-paused', 'true'])
    report(done.returncode == 125, '--start-paused needs --control')
    done = run([SOFTLAKE, 'profile', f'--control={folder}', 'true'])
    report(done.returncode == 125 and
           not list(folder.glob('softlake-profile-*')),
           '--control: not a FIFO', done.stderr)


def check_environment(folder):
    """Each option has a variable."""
    done = run([SOFTLAKE, 'profile', '--', PARTS, 'draw:1', 'draw:1'],
               SOFTLAKE_PROFILE_JSON=str(folder / 'twin.json'),
               SOFTLAKE_PROFILE_LANES='1', SOFTLAKE_PROFILE_STAGE='fs',
               SOFTLAKE_PROFILE_PER='submit', SOFTLAKE_PROFILE_TOP='1',
               SOFTLAKE_PROFILE_FAIL_IF='insn>5', SOFTLAKE_PROFILE_AS_RUN='0',
               SOFTLAKE_PROFILE_MEMORY='0', SOFTLAKE_PROFILE_CSV='0')
    p = json.loads((folder / 'twin.json').read_text())
    report(done.returncode == 1 and 'lanes' in p['totals'] and
           {k['stage'] for k in p['kernels']} == {'fs'} and
           p['draw_kernels'] and 'no_rects' in p['shortcuts_off'] and
           not any('sends' in k for k in p['kernels']) and
           not pathlib.Path('0').exists(),
           'variables stand for options', done.returncode, done.stderr)
    done = run([SOFTLAKE, 'profile', '--top=2', 'true'],
               SOFTLAKE_PROFILE_TOP='x')
    report(done.returncode == 125, 'a bad variable is told', done.stderr)


def check_dispatches(folder):
    """named_cl runs 2 x 1024 items in groups of 64, then 80 in groups of 8."""
    if not NAMED:
        skip('dispatches', 'no OpenCL')
        return
    p, done = profile(folder, [NAMED], '--per=dispatch', '--lanes',
                      f'--csv={folder}/cl')
    rows = [(d['kernel'], d['groups'], d['local'], d['simd'], d['threads'])
            for d in p['dispatches']]
    want = [('my_saxpy_kernel', [16, 1, 1], 64, 16, 64)] * 2 + \
        [('my_count_kernel', [5, 2, 1], 8, 8, 10)]
    report(rows == want, 'dispatches have their kernels and sizes', *rows)
    rows = table(folder / 'cl/dispatches.csv')
    report([(r['kernel'], r['groups_x'], r['local'], r['threads'])
            for r in rows] == [(n, str(g[0]), str(l), str(t))
                               for n, g, l, _, t in want],
           'dispatches.csv has the same', *rows)
    report(sum(int(r['insn']) for r in rows) == p['totals']['insn'],
           'dispatches.csv has the total')
    numbers = [d['dispatch'] for d in p['dispatches']]
    p, done = profile(folder, [NAMED], f'--dispatches={numbers[1]}-')
    report({k['name']: k['threads'] for k in p['kernels'] if k['insn']} ==
           {'my_saxpy_kernel': 64, 'my_count_kernel': 10},
           '--dispatches: but the first', done.stderr)
    p, done = profile(folder, [NAMED], '--draws=1-')
    report(p['totals']['insn'] == 0, '--draws: dispatches are left out')


def main():
    folder = pathlib.Path(tempfile.mkdtemp())
    try:
        check_ranges(folder)
        check_frames(folder)
        check_tables(folder)
        check_control(folder)
        check_environment(folder)
        check_dispatches(folder)
        for name in 'triangle', 'compute-indirect', 'layers', 'msaa':
            check_sums(folder, name, [SCENES, name, folder / 'a.png'])
    finally:
        shutil.rmtree(folder)
    print('1..%d' % len(results))
    return 0 if all(results) else 1


sys.exit(main())
