#!/usr/bin/env python3
"""softlake profile: exact counts, whatever executes the kernels.

usage: run_profile.py SCENES SOFTLAKE

Counts, lanes and branches are compared with the statistics, which other code keeps, with the
interpreter's, and between numbers of threads and instruction sets; pictures
with those of runs without counters; files with readers that are not ours
(callgrind_annotate, protoc, Python's csv and json). TAP.
"""
import csv
import fcntl
import gzip
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent /
                       'profile'))

import counts

SCENES, SOFTLAKE = (os.path.abspath(p) for p in sys.argv[1:3])
TIMEOUT_S = 300
results = []


def report(ok, name, *why):
    results.append(ok)
    print('%sok %d - %s' % ('' if ok else 'not ', len(results), name))
    if not ok:
        print('#', *why)
    sys.stdout.flush()


def run(command, **env):
    return subprocess.run(command, env={**os.environ, **env}, text=True,
                          capture_output=True, timeout=TIMEOUT_S)


def all_scenes():
    out = run([SCENES, '--list']).stdout
    return [line.split()[0] for line in out.splitlines()]


def profile(folder, command, *options, softlake=(), **env):
    """The profile.json and the finished process."""
    path = folder / 'profile.json'
    path.unlink(missing_ok=True)
    done = run([SOFTLAKE, *softlake, 'profile', f'--json={path}', *options,
                '--', *map(str, command)], **env)
    return json.loads(path.read_text()) if path.exists() else None, done


def statistic(text, what):
    found = re.findall(r'(\d+) %s\b' % what, text)
    return sum(map(int, found))


def check_statistics(folder, name):
    """Without lanes; run_conservation.py has all scenes, with lanes."""
    p, done = profile(folder, [SCENES, name, folder / 'a.png'],
                      softlake=['--stats'])
    if not p:
        report(False, f'{name}: a profile', done.stderr)
        return
    bad = counts.problems(p, done.stderr)
    report(not bad, f'{name}: counts obey equations, and are those of --stats',
           *bad[:3])
    run([SOFTLAKE, SCENES, name, str(folder / 'b.png')])
    report((folder / 'a.png').read_bytes() == (folder / 'b.png').read_bytes(),
           f'{name}: the picture is that without counters')


def check_tiers(folder, name):
    """Each instruction's count, lanes and memory accesses are the
    interpreter's."""
    command = [SCENES, name, folder / 'a.png']
    want, _ = profile(folder, command, '--lanes', '--memory',
                      SOFTLAKE_EU='interp')
    bad = counts.problems(want)
    report(not bad, f'{name}: counts obey equations', *bad[:3])
    for threads in '0', '1', '2', '8':
        for cpu in ('avx512', 'avx2') if threads == '2' else ('',):
            env = {'SOFTLAKE_CPU': cpu} if cpu else {}
            p, done = profile(folder, command, '--lanes', '--memory',
                              softlake=['-j', threads], **env)
            bad = list(counts.differences(want, p)) if p else [done.stderr]
            report(not bad, f'{name}: counts of {threads} threads {cpu} are '
                   "the interpreter's", *bad[:3])
    run([SOFTLAKE, SCENES, name, str(folder / 'b.png')])
    report((folder / 'a.png').read_bytes() == (folder / 'b.png').read_bytes(),
           f'{name}: the picture is that without lanes')


def is_left(folder):
    """Whether it is ours, and no profile that is running now has locked it."""
    try:
        fd = os.open(folder, os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return folder.stat().st_uid == os.geteuid()
    except OSError:
        return False
    finally:
        os.close(fd)


def check_processes(folder):
    """Children are merged, and survive SIGKILL."""
    one, _ = profile(folder, [SCENES, 'triangle', folder / 'a.png'])
    script = '"$0" triangle "$1"; "$0" triangle "$1"; kill -9 $$'
    p, done = profile(folder, ['sh', '-c', script, SCENES, folder / 'a.png'])
    report(p and p['totals']['insn'] == 2 * one['totals']['insn'] and
           p['totals']['processes'] == 2,
           'processes: all that the command starts are counted',
           p and p['totals'])
    report(done.returncode == 128 + 9,
           'processes: the exit status is that of a killed command',
           done.returncode)
    left = [d for place in ('/dev/shm', '/tmp')
            for d in pathlib.Path(place).glob('softlake-counts-*')
            if is_left(d)]
    report(not left, 'processes: no counters are left', *left)


def check_lanes(folder):
    """Vertex shaders have a lane for each vertex; and each format has them."""
    cg, csv_dir = folder / 'lanes.cg', folder / 'lanes'
    for name, vertices in ('triangle', 3), ('small-triangles', 4800):
        p, done = profile(folder, [SCENES, name, folder / 'a.png'], '--lanes',
                          f'--callgrind={cg}', f'--csv={csv_dir}')
        lanes = sum(counts.entry_lanes(k) for k in p['kernels']
                    if k.get('stage') == 'vs' and k['insn'])
        report(lanes == vertices, f'lanes: the vertices of {name}', lanes)
    total = sum(i['lanes'] for k in p['kernels'] for i in k['insns'])
    with open(csv_dir / 'insns.csv', newline='') as f:
        report(sum(int(r['lanes']) for r in csv.DictReader(f)) == total,
               'lanes: insns.csv has all of them')
    with open(csv_dir / 'kernels.csv', newline='') as f:
        report(sum(int(r['lanes']) for r in csv.DictReader(f)) ==
               p['totals']['lanes'], 'lanes: kernels.csv has the total')
    with open(csv_dir / 'messages.csv', newline='') as f:
        rows = [(r['name'], r['function'], r['type'], int(r['count']))
                for r in csv.DictReader(f)]
    report(rows == [(k['name'], m['function'], m['type'], m['count'])
                    for k in p['kernels'] for m in k['messages']],
           'csv: messages.csv has the messages', rows)
    writes = sum(r[3] for r in rows if r[2] == 'render target write')
    threads = sum(k['threads'] for k in p['kernels'] if k['stage'] == 'fs')
    report(writes == threads, 'messages: each fragment thread writes once',
           writes, threads)
    if shutil.which('callgrind_annotate'):
        out = run(['callgrind_annotate', str(cg)]).stdout
        report(re.search(r'%s \(100.0%%\) +%s \(100.0%%\) +PROGRAM TOTALS' % (
            f"{p['totals']['insn']:,}", f'{total:,}'), out),
            "lanes: are callgrind's second event", out)


def check_files(folder):
    command = [SCENES, 'triangle', folder / 'a.png']
    p, done = profile(folder, command, f'--csv={folder}/csv',
                      f'--callgrind={folder}/cg.out',
                      f'--folded={folder}/folded', '--sort=time',
                      f'--json=lines={folder}/lines',
                      f'--speedscope={folder}/s.json')
    total = p['totals']['insn']
    with open(folder / 'csv/kernels.csv', newline='') as f:
        rows = list(csv.DictReader(f))
    report(sum(int(r['insn']) for r in rows) == total,
           'csv: kernels.csv has the total')
    with open(folder / 'csv/insns.csv', newline='') as f:
        rows = list(csv.DictReader(f))
    report(sum(int(r['count']) for r in rows) == total,
           'csv: insns.csv has the total')
    rows = [json.loads(l) for l in (folder / 'lines').read_text().splitlines()]
    first = rows.pop(0)
    tables = {k: v for k, v in p.items()
              if isinstance(v, list) and v and isinstance(v[0], dict)}
    report(first == {'table': 'profile', **{k: v for k, v in p.items()
                                            if k not in tables}} and
           rows == [{'table': k, **row} for k, v in tables.items()
                    for row in v] and p['platform'] == 'kbl',
           'json lines: the profile, then a row a line', first)
    times = [k['host_ns'] for k in p['kernels']]
    report(times == sorted(times, reverse=True) and
           sum(times) == sum(e['end_ns'] - e['begin_ns'] for e in p['timeline']
                             if 'kernels' in e),
           'sort: by the time of this host', times)
    lines = (folder / 'folded').read_text().splitlines()
    report(sum(int(l.rsplit(' ', 1)[1]) for l in lines) == total,
           'folded: stacks sum up to the total')
    s = json.loads((folder / 's.json').read_text())
    weights = s['profiles'][0]['weights']
    report(sum(weights) == total and
           len(weights) == len(s['profiles'][0]['samples']),
           'speedscope: weights sum up to the total')
    if shutil.which('callgrind_annotate'):
        out = run(['callgrind_annotate', str(folder / 'cg.out')]).stdout
        report(f'{total:,} (100.0%)  PROGRAM TOTALS' in out,
               'callgrind: callgrind_annotate reads the total', out)
    else:
        results.append(True)
        print('ok %d - callgrind # SKIP no callgrind_annotate' % len(results))
    report('softlake profile: %d EU instructions' % total in done.stderr,
           'summary: it begins with the total', done.stderr)


def fields(text):
    """protoc's text as nested lists of (name, value)."""
    top = [[]]
    for line in map(str.strip, text.splitlines()):
        if line.endswith('{'):
            top[-1].append((line[:-2], []))
            top.append(top[-1][-1][1])
        elif line == '}':
            top.pop()
        else:
            name, value = line.split(': ', 1)
            top[-1].append((name, json.loads(value)))
    return top[0]


def some(message, name):
    return [v for n, v in message if n == name]


def decode(name, message, data):
    """The fields of a file, by a subset of its format."""
    here = pathlib.Path(__file__).parent
    done = subprocess.run(
        ['protoc', f'--proto_path={here}', f'--decode={message}',
         name + '.proto'], input=data, capture_output=True)
    text = done.stdout.decode()
    report(done.returncode == 0 and not re.search(r'^\s*\d', text, re.M),
           name + ': protoc knows all fields', done.stderr, text[:200])
    return fields(text)


def check_pprof(folder):
    if not shutil.which('protoc'):
        results.append(True)
        print('ok %d - pprof # SKIP no protoc' % len(results))
        return
    p, _ = profile(folder, [SCENES, 'tex-upload-copy', folder / 'a.png'],
                   '--lanes')
    # Sources as an OpenCL program has them.
    p['sources'] = [{'name': 'a.cl'}, {'name': 'b.h'}]
    for line, i in enumerate(p['kernels'][0]['insns'], 10):
        i['source'], i['line'] = line % 3 // 2, line
    (folder / 'lines.json').write_text(json.dumps(p))
    run([SOFTLAKE, 'profile', '-q', f'--from={folder}/lines.json',
         f'--pprof={folder}/p.gz'])
    m = decode('pprof', 'Profile',
               gzip.decompress((folder / 'p.gz').read_bytes()))
    strings = some(m, 'string_table')
    names = {some(f, 'id')[0]: (strings[some(f, 'name')[0]],
                                strings[(some(f, 'filename') + [0])[0]])
             for f in some(m, 'function')}
    starts = {some(a, 'id')[0]: some(a, 'memory_start')[0]
              for a in some(m, 'mapping')}
    places = {}
    for l in some(m, 'location'):
        mapping = some(l, 'mapping_id')
        offset = some(l, 'address')[0] - starts[mapping[0]] if mapping else None
        line = some(l, 'line')[0]
        name, file = names[some(line, 'function_id')[0]]
        places[some(l, 'id')[0]] = \
            name, offset, file, (some(line, 'line') + [0])[0]
    found = {}
    for s in some(m, 'sample'):
        at, stage = (places[i] for i in some(s, 'location_id'))
        found[at + stage[:1]] = some(s, 'value')
    file = p['sources'][p['kernels'][0]['insns'][0]['source']]['name']
    want = {(k['name'], i['ip'], file if 'line' in i else '', i['line']
             if 'line' in i and p['sources'][i['source']]['name'] == file
             else 0, k['stage']): [i['count'], i['lanes']]
            for k in p['kernels'] for i in k['insns'] if i['count']}
    report(found == want,
           'pprof: each instruction has its counts, file and line')
    report(strings[0] == '' and
           [strings[some(t, 'type')[0]] for t in some(m, 'sample_type')] ==
           ['instructions', 'lanes'], 'pprof: what is counted')


def check_timeline(folder, name):
    """Events are those of the statistics, and nest."""
    p, done = profile(folder, [SCENES, name, folder / 'a.png'], '--timeline',
                      f'--perfetto={folder}/t.pftrace',
                      f'--chrome={folder}/t.json', softlake=['--stats'])
    events = p['timeline']
    for kind, what in (('batch', 'batches executed'),
                       ('submit', 'batches executed'),
                       ('draw', 'draws executed'),
                       ('dispatch', 'compute dispatches executed')):
        n = sum(e['kind'] == kind for e in events)
        report(n == statistic(done.stderr, what),
               f'timeline: {name}: {what} are events of kind {kind}', n,
               done.stderr)
    wrong, last = [], {}
    for e in events:
        context = last.setdefault(e['context'], {})
        if e['kind'] == 'submit':
            context[e['batch']] = e
        elif e['kind'] == 'batch':
            ok = context[e['batch']]['end_ns'] <= e['begin_ns'] and \
                context.get('end', 0) <= e['begin_ns'] <= e['end_ns']
            context['end'], context['work'] = e['end_ns'], e['begin_ns']
            wrong += [e] * (not ok)
        else:
            ok = context['work'] <= e['begin_ns'] <= e['end_ns'] <= \
                context['end']
            context['work'] = e['end_ns']
            wrong += [e] * (not ok)
    report(not wrong, f'timeline: {name}: events nest', *wrong)
    ran = {k['name'] for k in p['kernels'] if k['insn']}
    named = {k for e in events for k in e.get('kernels', ())}
    report(ran <= named, f'timeline: {name}: all kernels are named', ran - named)
    check_chrome(folder, name, events)
    if shutil.which('protoc'):
        check_perfetto(folder, name, events)
    return p


def check_chrome(folder, name, events):
    trace = json.loads((folder / 't.json').read_text())['traceEvents']
    found = [(e['cat'], round(e['ts'] * 1000), round((e['ts'] + e['dur']) * 1000))
             for e in trace if e['ph'] == 'X']
    report(found == [(e['kind'], e['begin_ns'], e['end_ns']) for e in events],
           f'chrome: {name}: slices are the events')
    flows = [[e['id'] for e in trace if e['ph'] == ph] for ph in 'sf']
    report(sorted(flows[0]) == sorted(flows[1]) and
           len(set(flows[0])) == len(flows[0]),
           f'chrome: {name}: an arrow leads to each batch')


def check_perfetto(folder, name, events):
    m = decode('perfetto', 'Trace', (folder / 't.pftrace').read_bytes())
    packets = some(m, 'packet')
    tracks = {some(t, 'uuid')[0]: t for p in packets
              for t in some(p, 'track_descriptor')}
    parents = {u for t in tracks.values() for u in some(t, 'parent_uuid')}
    found, opened = [], {}
    for p in packets:
        for e in some(p, 'track_event'):
            at, track = some(p, 'timestamp')[0], some(e, 'track_uuid')[0]
            stack = opened.setdefault(track, [])
            if some(e, 'type')[0] == 2:
                found.append((*stack.pop(), at))
            elif some(e, 'type')[0] == 1:
                stack.append((some(e, 'categories')[0], at))
            else:
                found.append((some(e, 'categories')[0], at, at))
    report(sorted(found) == sorted((e['kind'], e['begin_ns'], e['end_ns'])
                                   for e in events) and
           not any(opened.values()), f'perfetto: {name}: slices are the events')
    report(set(opened) | parents == set(tracks),
           f'perfetto: {name}: tracks are described')


def check_tools(folder):
    command = [SCENES, 'triangle', folder / 'a.png']
    p, _ = profile(folder, command)
    a, b = folder / 'a.json', folder / 'b.json'
    a.write_text(json.dumps(p))
    k = p['kernels'][0]
    out = run([SOFTLAKE, 'annotate', str(a)]).stdout
    found = re.findall(r'\[ +(\d+) \] 0x([0-9a-f]+) : ', out)
    report([(int(c), int(o, 16)) for c, o in found] ==
           [(i['count'], i['ip']) for i in k['insns']],
           'annotate: lists the counts of the first kernel', out)
    b.write_text(json.dumps({**p, 'kernels': [{**k, 'insns': [
        {**i, 'kind': 'mov'} for i in k['insns']]}]}))
    out = run([SOFTLAKE, 'annotate', str(b)]).stdout
    report('\nmov: 100% of its instructions (more than 30%)' in out,
           'annotate: says what limits the kernel', out)
    done = run([SOFTLAKE, 'annotate', str(a), 'nothing*'])
    report(done.returncode == 1 and 'has no kernel nothing*' in done.stderr,
           'annotate: no such kernel', done.stderr)
    report(run([SOFTLAKE, 'diff', '--fail-above=0%', str(a),
                str(a)]).returncode == 0, 'diff: equal profiles')
    more = max(k['insn'] // 50, 1)
    k['insns'][0]['count'] += more
    k['insn'] += more
    b.write_text(json.dumps(p))
    report(run([SOFTLAKE, 'diff', '--fail-above', '1%', str(a),
                str(b)]).returncode == 1, 'diff: growth above the limit')
    report(run([SOFTLAKE, 'diff', '--fail-above', '90%', str(a),
                str(b)]).returncode == 0, 'diff: growth below the limit')
    b.write_text('{"schema": 1')
    done = run([SOFTLAKE, 'diff', str(a), str(b)])
    report(done.returncode == 1 and 'softlake: diff: ' in done.stderr,
           'diff: a broken file', done.stderr)


def check_from(folder):
    """A profile.json gives the files that the run would have given."""
    names = 'json', 'jsonl', 'html', 'csv', 'callgrind', 'pprof', 'folded', \
        'speedscope'
    run_dir, from_dir = folder / 'run', folder / 'from'
    p, done = profile(folder, [SCENES, 'tex-upload-copy', folder / 'a.png'],
                      '--lanes')
    again = run([SOFTLAKE, 'profile', '--all', '-o', str(run_dir),
                 f'--from={folder}/profile.json'])
    report(json.loads((run_dir / 'profile.json').read_text()) == p,
           '--from: the same profile.json', again.stderr)
    bad = run([SOFTLAKE, 'profile', f'--from={folder}/profile.json',
               f'--perfetto={folder}/t'])
    report(bad.returncode == 125 and 'has no timeline' in bad.stderr,
           '--from: a timeline that was not measured', bad.stderr)
    report(again.stderr.splitlines()[:4] == done.stderr.splitlines()[:4],
           '--from: the same summary', again.stderr, done.stderr)
    report(len(list(run_dir.glob('*'))) == len(names),
           '--all: each file is there, but for timelines', *run_dir.glob('*'))
    all_dir = folder / 'all'
    done = run([SOFTLAKE, 'profile', '-q', '--all', '-o', str(all_dir), '--',
                SCENES, 'triangle', str(folder / 'a.png')])
    report((all_dir / 'callgrind.out.objects').is_dir() and
           len(list(all_dir.glob('*'))) == len(names) + 4 and
           'lanes' in (all_dir / 'profile.json').read_text(),
           '--all: measures lanes and the timeline', done.stderr)
    run([SOFTLAKE, 'profile', '-q', '-o', str(from_dir),
         f'--from={folder}/profile.json'])
    report([f.name for f in from_dir.glob('*')] == ['profile.json'],
           '-o: profile.json alone', *from_dir.glob('*'))
    for key, value in (('insn', lambda k: -k['insn']),
                       ('lanes', lambda k: -sum(i['lanes']
                                                for i in k['insns'])),
                       ('threads', lambda k: -k['threads']),
                       ('size', lambda k: -k['size_B']),
                       ('name', lambda k: k['name']),
                       ('stage', lambda k: k.get('stage', ''))):
        run([SOFTLAKE, 'profile', '-q', f'--sort={key}', '-o', str(from_dir),
             f'--from={folder}/profile.json'])
        values = [value(k) for k in json.loads(
            (from_dir / 'profile.json').read_text())['kernels']]
        report(values == sorted(values) and len(set(values)) > 1,
               f'--sort={key}: kernels are in that order', *values)
    done = run([SOFTLAKE, 'profile', f'--from={folder}/profile.json', 'true'])
    report(done.returncode == 125, '--from: and a command', done.returncode)


def check_status(folder):
    for options, command, want, name in (
            ((), ['true'], 0, 'a command without kernels'),
            ((), ['sh', '-c', 'exit 7'], 7, "the command's"),
            ((), [folder / 'nothing'], 127, 'no such command'),
            (('--fail-if=insn>5',), [SCENES, 'triangle', folder / 'a.png'], 1,
             '--fail-if is true'),
            (('--fail-if=insn>5e18',), [SCENES, 'triangle', folder / 'a.png'],
             0, '--fail-if is false'),
            (('--fail-if=pixels',), ['true'], 125, 'a bad --fail-if'),
            (('--top=x',), ['true'], 125, 'a bad --top'),
            (('--sort=x',), ['true'], 125, 'a bad --sort'),
            (('--json=/nowhere/x',), ['true'], 125, 'a file that fails')):
        done = run([SOFTLAKE, 'profile', *options, '--', *map(str, command)])
        report(done.returncode == want, f'status: {name}', done.returncode,
               done.stderr)
    p, _ = profile(folder, [SCENES, 'triangle', folder / 'a.png'],
                   '--stage=vs')
    report({k['stage'] for k in p['kernels']} == {'vs'},
           '--stage: only such kernels')


def main():
    folder = pathlib.Path(tempfile.mkdtemp())
    try:
        for name in all_scenes()[::6]:
            check_statistics(folder, name)
        # Resolves of the latter two branch on MCS entries.
        for name in *all_scenes()[3::24], 'layers-msaa', 'msaa-small':
            check_tiers(folder, name)
        check_processes(folder)
        check_lanes(folder)
        check_files(folder)
        check_pprof(folder)
        for name in 'tex-upload-copy', 'compute-indirect':
            check_timeline(folder, name)
        check_tools(folder)
        check_from(folder)
        check_status(folder)
    finally:
        shutil.rmtree(folder)
    print('1..%d' % len(results))
    return 0 if all(results) else 1


sys.exit(main())
