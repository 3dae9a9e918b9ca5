#!/usr/bin/env python3
"""softlake profile --memory: lines, strides and bank conflicts of stock NEO.

usage: run_memory.py MEMORY_CL SOFTLAKE

The counts of memory_cl's kernels are worked out by hand: each has 1024 work
items, 64 threads of 16 lanes. They are the same in the interpreter, with AVX2,
and for any number of threads. TAP.
"""
import csv
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

MEMORY, SOFTLAKE = (os.path.abspath(p) for p in sys.argv[1:3])
THREADS = 64
results = []


def report(ok, name, *why):
    results.append(bool(ok))
    print('%sok %d - %s' % ('' if ok else 'not ', len(results), name))
    if not ok:
        print('#', *why)
    sys.stdout.flush()


def run(command, **env):
    return subprocess.run(list(map(str, command)), env={**os.environ, **env},
                          text=True, capture_output=True, timeout=300)


def profile(folder, *options, softlake=(), **env):
    path = folder / 'profile.json'
    path.unlink(missing_ok=True)
    done = run([SOFTLAKE, *softlake, 'profile', f'--json={path}', *options,
                '--', MEMORY], **env)
    return json.loads(path.read_text()) if path.exists() else {}, done


def sends(p):
    return {k['name']: k.get('sends') for k in p.get('kernels', ())}


def line_send(lines, least=1, misaligned=0, size=4, lanes=16, **stride):
    """Of a kernel's one message a thread, in order of the keys below."""
    return {'count': THREADS, 'lanes': lanes * THREADS,
            'bytes': lanes * size * THREADS, 'lines': lines * THREADS,
            'min_lines': least * THREADS,
            'misaligned': misaligned * THREADS,
            'stride': {k: THREADS for k in stride}}


def local_send(passes):
    return {'count': THREADS, 'lanes': 16 * THREADS, 'bytes': 64 * THREADS,
            'slm_passes': passes * THREADS, 'slm_min_passes': THREADS}


NEXT = {'next': 1}


def check_kernel(p, name, *want):
    """The messages that have the keys of `want`, in their order."""
    got = sends(p).get(name) or []
    same = len(got) == len(want) and all(
        all((g.get(key) or None) == (value or None)
            for key, value in w.items())
        for g, w in zip(got, want))
    report(same, f'{name}: messages are those worked out by hand', got, want)


def check_by_hand(p):
    copy = line_send(1, **NEXT)
    check_kernel(p, 'copy', copy, copy)
    check_kernel(p, 'shifted', line_send(2, misaligned=1, **NEXT), copy)
    check_kernel(p, 'few', line_send(1, lanes=5, **NEXT),
                 line_send(1, lanes=5, **NEXT))
    wide = line_send(4, least=4, size=16, **NEXT)
    check_kernel(p, 'wide', wide, wide)
    for k in 2, 3, 7, 16:
        want = line_send(k, **{'<64' if k < 16 else '<4096': 1})
        want['stride_bytes'] = 4 * k * THREADS
        check_kernel(p, f'strided{k}', want, copy)
    check_kernel(p, 'transposed', copy, local_send(1), local_send(16), copy)
    check_kernel(p, 'padded', copy, local_send(1), local_send(1), copy)
    # Typed messages have eight lanes. A line of a Y tile has 16x4 bytes.
    half = line_send(2, lanes=8, mixed=1)
    check_kernel(p, 'painted', half, half)
    block = {**line_send(2, lanes=8), 'stride': None}
    check_kernel(p, 'blocks', block, block, copy)


def check_tiers(folder, p):
    for name, softlake, env in (
            ('the interpreter', (), {'SOFTLAKE_EU': 'interp'}),
            ('AVX2', (), {'SOFTLAKE_CPU': 'avx2'}),
            ('no thread', ('-j', '0'), {}), ('2 threads', ('-j', '2'), {}),
            ('8 threads', ('-j', '8'), {})):
        other, done = profile(folder, '--memory', softlake=softlake, **env)
        report(sends(other) == sends(p) and sends(p),
               f'counts with {name} are the same', done.stderr)


def check_texts(folder, p, done):
    """What people read."""
    report('mem lines(x min)' in done.stderr, 'summary: a column of lines',
           done.stderr)
    path = folder / 'profile.json'
    path.write_text(json.dumps(p))
    text = run([SOFTLAKE, 'annotate', path, 'strided16']).stdout
    report('64 sent: 16.0 lanes, 64 B, 16.00 lines (16.00x), 6% used, '
           'stride <4096 (64 B)' in text, 'annotate: a strided read', text)
    text = run([SOFTLAKE, 'annotate', path, 'transposed']).stdout
    report('16.00 passes (16.00x)' in text, 'annotate: bank conflicts', text)
    run([SOFTLAKE, 'profile', '-q', f'--from={path}', f'--csv={folder}'])
    with open(folder / 'sends.csv', newline='') as f:
        rows = list(csv.DictReader(f))
    lines = {(r['name'], int(r['offset_bytes'])): r['lines'] for r in rows}
    want = {(name, s['ip']): str(s.get('lines', '-'))
            for name, list_ in sends(p).items() for s in list_}
    report(lines == want, 'sends.csv has the lines of all', lines, want)
    again = run([SOFTLAKE, 'profile', '-q', f'--from={path}',
                 f'--json={folder}/again.json'])
    report(sends(json.loads((folder / 'again.json').read_text())) == sends(p),
           '--from: the same messages', again.stderr)


def check_rules(folder, p):
    path, out = folder / 'profile.json', folder / 'one.json'
    path.write_text(json.dumps(p))
    found = set()
    for name in 'copy', 'strided16', 'padded', 'transposed':
        run([SOFTLAKE, 'profile', '-q', f'--from={path}', f'--kernel={name}',
             f'--json={out}'])
        found |= {(name, f['rule'])
                  for f in json.loads(out.read_text()).get('findings', ())}
    report(('strided16', 'memory lines') in found and
           ('copy', 'memory lines') not in found, 'rule: memory lines', found)
    report(('transposed', 'bank conflicts') in found and
           ('padded', 'bank conflicts') not in found, 'rule: bank conflicts',
           found)
    lines = sum(s.get('lines', 0) for k in sends(p).values() for s in k)
    for limit, status in ((lines, 0), (lines - 1, 1)):
        done = run([SOFTLAKE, 'profile', '-q', f'--fail-if=lines>{limit}',
                    '--', MEMORY])
        report(done.returncode == status, f'--fail-if: lines, exit {status}',
               done.stderr)


RECORD = struct.Struct('<IIQQI3IIIIBBBB')


def read_trace(path):
    """The records of a trace, each with its words: address, lane, bytes."""
    data = path.read_bytes()
    records, at = [], 8
    while at < len(data):
        f = RECORD.unpack_from(data, at)
        words = struct.unpack_from('<%dQ' % f[14], data, at + RECORD.size)
        records.append((f, [(w & (1 << 48) - 1, w >> 48 & 255, (w >> 56) + 1)
                            for w in words]))
        at += f[0]
    return data[:8], records


def sums(records, p):
    """Messages, bytes and lines by kernel and instruction, and the threads."""
    names = {k['id']: k['name'] for k in p['kernels']}
    got, threads = {}, {}
    for f, words in records:
        key = names['%016x' % f[2]], f[1]
        slm = bool(f[13] & 2)
        lines = {a for at, _, size in words
                 for a in range(at // 64, (at + size - 1) // 64 + 1)}
        n = got.setdefault(key, [0, 0, 0])
        n[0] += 1
        n[1] += sum(size for _, _, size in words)
        n[2] += 0 if slm else len(lines)
        threads.setdefault(key, set()).add((f[5:8], f[8]))
    return got, threads


def counted(p):
    return {(name, s['ip']): [s['count'], s['bytes'], s.get('lines', 0)]
            for name, list_ in sends(p).items()
            for s in list_ or () if s['count']}


def check_trace(folder, p):
    """Lines of the trace's addresses are the lines that were counted."""
    path = folder / 'memory.trace'
    traced, done = profile(folder, f'--memory=trace={path}')
    magic, records = read_trace(path)
    report(magic == b'SLKTRAC1' and sends(traced) == sends(p),
           'trace: the same counts', done.stderr)
    got, groups = sums(records, p)
    report(got == counted(p), 'trace: messages, bytes and lines', got)
    threads = {((g, 0, 0), t) for g in range(16) for t in range(4)}
    report(all(g == threads for (name, _), g in groups.items()
               if name == 'copy'), 'trace: groups and threads', groups)
    part, done = profile(folder, f'--memory=trace={path}', '--dispatches=2')
    got, _ = sums(read_trace(path)[1], p)
    report(got and got == counted(part) and len({n for n, _ in got}) == 1,
           'trace: of one dispatch', got, counted(part), done.stderr)
    done = run([SOFTLAKE, 'profile', '--memory=traces', '--', MEMORY])
    report(done.returncode == 125, 'trace: a wrong option', done.stderr)


def main():
    folder = pathlib.Path(tempfile.mkdtemp(prefix='softlake-memory-'))
    try:
        p, done = profile(folder, '--memory')
        check_by_hand(p)
        check_tiers(folder, p)
        check_texts(folder, p, done)
        check_rules(folder, p)
        check_trace(folder, p)
        plain, done = profile(folder)
        report(plain.get('kernels') and
               not any('sends' in k for k in plain['kernels']),
               'nothing of memory without --memory')
        report(done.stdout == run([SOFTLAKE, MEMORY]).stdout == 'computed\n',
               'the client computes the same')
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print('1..%d' % len(results))
    return 0 if all(results) else 1


if __name__ == '__main__':
    sys.exit(main())
