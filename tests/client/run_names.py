#!/usr/bin/env python3
"""softlake profile: names, work sizes and source lines of OpenCL kernels.

usage: run_names.py NAMED_CL STRICT_CL SOFTLAKE LAYER SCENES|-

The counts of named_cl's kernels are known by hand; which line an instruction is
of, readelf tells as well. TAP.
"""
import csv
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

NAMED, STRICT, SOFTLAKE, LAYER = (os.path.abspath(p) for p in sys.argv[1:5])
SCENES = sys.argv[5]
DEBUG_SECTION = 0xff000008
LINE_SAXPY, LINE_INC = 6, 12  # of named_cl.c's source
THREADS_SAXPY = 2 * 1024 // 16
THREADS_COUNT = 80 // 8
ROUNDS = 7
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
    kept = {k: v for k, v in os.environ.items() if k != 'OPENCL_LAYERS'}
    return subprocess.run(list(map(str, command)), env={**kept, **env},
                          text=True, capture_output=True, timeout=300)


def profile(folder, *command, options=(), **env):
    path = folder / 'profile.json'
    path.unlink(missing_ok=True)
    done = run([SOFTLAKE, 'profile', f'--json={path}', *options, '--',
                *command], **env)
    return json.loads(path.read_text()) if path.exists() else {}, done


def kernel(p, name):
    found = [k for k in p.get('kernels', ()) if k['name'] == name]
    return found[0] if len(found) == 1 else {'insns': []}


def sends_of_line(k, line):
    """Executed messages that an instruction of the line sends."""
    return sum(i['count'] for i in k['insns'] if i.get('line') == line and
               re.search(r'\bsends?c? ', i['text']))


def check_names(folder):
    p, done = profile(folder, NAMED)
    saxpy, count = kernel(p, 'my_saxpy_kernel'), kernel(p, 'my_count_kernel')
    report(saxpy.get('name_from') == 'cl-layer' and
           saxpy.get('threads') == THREADS_SAXPY and saxpy.get('simd') == 16,
           'names: my_saxpy_kernel has its threads', done.stderr)
    report(count.get('threads') == THREADS_COUNT and count.get('simd') == 8,
           'names: my_count_kernel has its threads', done.stderr)
    report('my_saxpy_kernel' in done.stderr, 'names: the summary has them')
    report(saxpy.get('launches') == [{'global': [1024], 'local': [64],
                                      'count': 2}],
           'launches: work sizes of my_saxpy_kernel', saxpy.get('launches'))
    report(count.get('launches') == [{'global': [40, 2], 'local': [8, 1],
                                      'count': 1}],
           'launches: work sizes of my_count_kernel', count.get('launches'))
    report('sources' not in p and
           not any('line' in i for i in saxpy['insns']),
           'lines: none without -g')
    report(done.stdout == run([SOFTLAKE, NAMED]).stdout == 'computed\n',
           'the client prints what it prints without the layer', done.stdout)
    own, done = profile(folder, NAMED, '', '-', 'copy')
    names = [k['name'] for k in own['kernels']
             if k['name_from'] == 'cl-driver']
    report(len(names) == 1 and names[0].startswith('CopyBufferToBuffer') and
           len(own['kernels']) == 3, "names: the driver's own kernel",
           own['kernels'] and names, done.stderr)
    return p


def check_lines(folder, plain):
    p, done = profile(folder, NAMED, options=['--source'])
    saxpy, count = kernel(p, 'my_saxpy_kernel'), kernel(p, 'my_count_kernel')
    report([k['id'] for k in p['kernels']] ==
           [k['id'] for k in plain['kernels']],
           '--source: the code of these kernels stays', done.stderr)
    report(sends_of_line(saxpy, LINE_SAXPY) == 3 * THREADS_SAXPY,
           'lines: two loads and a store a thread', saxpy)
    report(sends_of_line(count, LINE_INC) == ROUNDS * THREADS_COUNT,
           'lines: an atomic a round', count)
    text = p['sources'][0].get('text', '').splitlines()
    report(len(text) == 13 and 'a * x[i] + y[i]' in text[LINE_SAXPY - 1] and
           'atomic_inc' in text[LINE_INC - 1], 'sources: the text', text)
    report(saxpy.get('build_options') == '-g', 'build options',
           saxpy.get('build_options'))
    own, _ = profile(folder, NAMED, '-cl-mad-enable -gline-tables-only')
    report(sends_of_line(kernel(own, 'my_count_kernel'), LINE_INC) ==
           ROUNDS * THREADS_COUNT, "lines: of the client's own -g")
    named, _ = profile(folder, NAMED, f'-g -s {folder}/my.cl',
                       folder / 'my.cl')
    report([s['name'] for s in named['sources']] == [f'{folder}/my.cl'],
           'sources: the name that -s gives', named['sources'])
    return p


def sections(data):
    at, = struct.unpack_from('<Q', data, 40)
    size, count = struct.unpack_from('<HH', data, 58)
    for i in range(count):
        _, kind, _, _, start, n = struct.unpack_from('<IIQQQQ', data,
                                                     at + i * size)
        yield kind, data[start:start + n]


def debug_files(program):
    """The ELF file of each kernel in a file of the layer."""
    source_B, options_B, _ = struct.unpack_from('<IIQ', program, 8)
    for kind, data in sections(program[24 + source_B + options_B:]):
        if kind != DEBUG_SECTION:
            continue
        at = 28
        for _ in range(struct.unpack_from('<I', data, 24)[0]):
            name_B, first_B, second_B = struct.unpack_from('<III', data, at)
            name = data[at + 12:at + 12 + name_B].rstrip(b'\0').decode()
            yield name, data[at + 12 + name_B:at + 12 + name_B + first_B]
            at += 12 + name_B + first_B + second_B


def lines_of_readelf(path):
    """Pairs of address and line, None where a sequence ends."""
    out = run(['readelf', '--debug-dump=decodedline', path]).stdout
    rows = []
    for _, line, address in re.findall(
            r'^(\S+) +(\d+|-) +(0x[0-9a-f]+|0)\b', out, flags=re.M):
        rows.append((int(address, 16), None if line == '-' else int(line)))
    return rows


def check_readelf(folder, p):
    if not shutil.which('readelf'):
        skip("lines: readelf's", 'no readelf')
        return
    left = folder / 'left'
    left.mkdir()
    run([SOFTLAKE, NAMED, '-g'], OPENCL_LAYERS=LAYER,
        SOFTLAKE_PROFILE=str(left))
    programs = list(left.glob('cl-program.*'))
    report(len(programs) == 1, 'the layer leaves one program', programs)
    for name, elf in debug_files(programs[0].read_bytes()):
        (folder / 'elf').write_bytes(elf)
        rows = lines_of_readelf(folder / 'elf')
        wrong = []
        for i in kernel(p, name)['insns']:
            before = [line for address, line in rows if address <= i['ip']]
            if not before or before[-1] != i.get('line'):
                wrong.append((i, before[-1:]))
        report(rows and not wrong, f"lines of {name}: readelf's", rows, wrong)


def line_counts(p):
    """Executed instructions by source line, of all kernels."""
    counts = {}
    for k in p['kernels']:
        for i in k['insns']:
            if 'line' in i:
                counts[i['line']] = counts.get(i['line'], 0) + i['count']
    return counts


def check_objects(p, cg):
    """The code beside a callgrind file, and what KCachegrind reads of it: lines
    of address, groups of hexadecimal digits, mnemonic."""
    for path in re.findall(r'^ob=(.*)$', cg.read_text(), flags=re.M):
        k = [k for k in p['kernels'] if k['id'] == pathlib.Path(path).stem][0]
        code = [data for kind, data in sections(pathlib.Path(path).read_bytes())
                if kind == 1]
        out = run([SOFTLAKE, 'disasm', '--objdump', path]).stdout
        rows = re.findall(r'^ *([0-9a-f]+):\s+((?:[0-9a-f]{8} )+)\s+\S+ .*$', out,
                          flags=re.M)
        words = ''.join(words for _, words in rows).split()
        report(len(code) == 1 and
               [int(a, 16) for a, _ in rows] == [i['ip'] for i in k['insns']] and
               b''.join(struct.pack('<I', int(w, 16)) for w in words) == code[0],
               f"disasm --objdump: {k['name']}", out)
        ends = [k['insns'][n]['ip'] for n in (2, 5)]
        out = run([SOFTLAKE, 'disasm', '--objdump', f'--start={ends[0]:#x}',
                   f'--stop={ends[1]:#x}', path]).stdout
        report([int(l.split(':')[0], 16) for l in out.splitlines()] ==
               [i['ip'] for i in k['insns'][2:5]],
               'disasm --objdump: a range of addresses', out)


def check_tools(folder):
    """Counts per line of callgrind_annotate and of softlake annotate."""
    cg = folder / 'cg.out'
    p, _ = profile(folder, NAMED, options=[
        '--source', f'--callgrind={cg}', f'--folded={folder}/folded',
        f'--csv={folder}/tables'])
    want = line_counts(p)
    folded = {}
    for row in (folder / 'folded').read_text().splitlines():
        line = re.search(r';[^;]*:(\d+);.* (\d+)$', row)
        folded[int(line[1])] = folded.get(int(line[1]), 0) + int(line[2])
    report(folded == want, '--folded: stacks have lines', folded, want)
    with open(folder / 'tables/launches.csv', newline='') as f:
        rows = list(csv.reader(f))
    report(rows[1:] == [['my_saxpy_kernel', '2', '1024', '-', '-', '64', '-',
                         '-'],
                        ['my_count_kernel', '1', '40', '2', '-', '8', '1',
                         '-']], '--csv: work sizes', rows)
    text = p['sources'][0]['text'].splitlines()
    if shutil.which('callgrind_annotate'):
        out = run(['callgrind_annotate', '--auto=yes', cg]).stdout
        listed = out.split('-- Auto-annotated source: ')[-1]
        rows = re.findall(r'^ *([0-9,]+|\.) +(?:\( *[0-9.]+%\))? +(.*)$', listed,
                          flags=re.M)[:len(text)]
        found = {line: int(count.replace(',', '')) for line, (count, words) in
                 enumerate(rows, 1) if count != '.' and
                 words.strip() == text[line - 1].strip()}
        report(want and found == want,
               'callgrind_annotate --auto=yes: counts of the lines', out, want,
               found)
        report('my_saxpy_kernel' in out and
               f"{p['totals']['insn']:,} (100.0%)  events annotated" in out,
               'callgrind_annotate --auto=yes: all events have a line', out)
    else:
        skip('callgrind_annotate: counts of the lines', 'not installed')
    check_objects(p, cg)
    out = run([SOFTLAKE, 'annotate', '--all', '--lines',
               folder / 'profile.json']).stdout
    found = {int(line): int(count) for count, line in
             re.findall(r'% \[ +(\d+) \] +(\d+) : ', out)}
    report(found == want and text[LINE_SAXPY - 1] in out,
           'annotate --lines: counts of the lines', out, want)
    out = run([SOFTLAKE, 'annotate', folder / 'profile.json',
               'my_count_kernel']).stdout
    report(re.search(r'\.cl:%d: +atomic_inc\(o\);\n.*\[ +%d \]' %
                     (LINE_INC, ROUNDS * THREADS_COUNT), out),
           'annotate: lines above instructions', out)


def check_symbols(folder, plain):
    """--symbols: a program binary, and a table."""
    program = next((folder / 'left').glob('cl-program.*')).read_bytes()
    source_B, options_B, _ = struct.unpack_from('<IIQ', program, 8)
    binary, table = folder / 'k.bin', folder / 'table'
    binary.write_bytes(program[24 + source_B + options_B:])
    no_layer = {'OPENCL_LAYERS': '/nowhere/layer.so'}
    p, done = profile(folder, NAMED, options=[f'--symbols={binary}'],
                      **no_layer)
    k = kernel(p, 'my_count_kernel')
    report(k.get('name_from') == 'symbols' and
           sends_of_line(k, LINE_INC) == ROUNDS * THREADS_COUNT,
           '--symbols: names and lines of a program binary', done.stderr)
    first, second = plain['kernels']
    table.write_text(f"# names\n{first['id']}  my own name\n"
                     f"{second['sha1']} other\n")
    p, done = profile(folder, NAMED, options=[f'--symbols={table}'])
    report([k['name'] for k in p['kernels']] == ['my own name', 'other'],
           '--symbols: a table of names', done.stderr)
    again = folder / 'again.json'
    run([SOFTLAKE, 'profile', '--quiet', f"--from={folder / 'profile.json'}",
         f'--json={again}'])
    report(json.loads(again.read_text()) == p, '--from: names stay')
    for text, why in (('xyz name', "not 'HASH NAME'"),
                      ('CTNI', 'not a program of patch tokens'),
                      ('\177ELF', 'not a 64-bit ELF file')):
        table.write_text(text)
        _, done = profile(folder, 'true', options=[f'--symbols={table}'])
        report(done.returncode == 125 and why in done.stderr,
               f'--symbols: {why}', done.stderr)


def check_spills(folder):
    """Mesa spills all that it can, not the same in each run, and prints how many
    instructions do."""
    env = {'INTEL_DEBUG': 'fs,spill_fs', 'MESA_SHADER_CACHE_DISABLE': 'true'}
    log, path = folder / 'spill.log', folder / 'profile.json'
    with open(log, 'w') as f:
        subprocess.run([SOFTLAKE, 'profile', f'--json={path}',
                        f'--mesa-log={log}', '--', SCENES, 'control-flow',
                        folder / 'a.png'], env={**os.environ, **env}, stderr=f,
                       stdout=subprocess.DEVNULL, timeout=300)
    p = json.loads(path.read_text())
    spilled = [k for k in p['kernels'] if k.get('mesa', {}).get('spills')]
    for k in spilled:
        for kind in 'spill', 'fill':
            mine = [i['count'] for i in k['insns'] if i.get('kind') == kind]
            report(len(mine) == k['mesa'][kind + 's'] and
                   k[kind + 's'] == sum(mine) > k['threads'],
                   f"{kind}s: as many instructions as Mesa prints", k)
    report(spilled, 'spills: a shader has some', log.read_text())
    _, done = profile(folder, SCENES, 'control-flow', folder / 'a.png',
                      options=['--fail-if=spills>0'], **env)
    report(done.returncode == 1, "--fail-if='spills>0' is true", done.stderr)
    _, done = profile(folder, NAMED, options=['--fail-if=spills>0'])
    report(done.returncode == 0, "--fail-if='spills>0' is false", done.stderr)


def check_mesa(folder):
    if SCENES == '-':
        skip('--mesa-log', 'no scenes')
        return
    p, done = profile(folder, SCENES, 'control-flow', folder / 'a.png',
                      INTEL_DEBUG='vs,fs,blorp',
                      MESA_SHADER_CACHE_DISABLE='true')
    log = folder / 'mesa.log'
    log.write_text(done.stderr)
    printed = dict(re.findall(r'\(sha1 ([0-9a-f]{40})\)\nSIMD\d+ shader: (\d+) ',
                              done.stderr))
    p, done = profile(folder, SCENES, 'control-flow', folder / 'a.png',
                      options=[f'--mesa-log={log}', f'--csv={folder}/csv'])
    known = [k for k in p['kernels'] if k['sha1'] in printed]
    report(len(known) == len(p['kernels']) and
           {k['name'].split('~')[0] for k in known} ==
           {'vs_GLSL1_simd8', 'fs_GLSL1_simd16', 'fs_BLORP-copy_simd16'} and
           all(k['name_from'] == 'mesa-log' for k in known),
           '--mesa-log: all kernels have names',
           [k['name'] for k in p['kernels']], printed)
    report(all(int(printed[k['sha1']]) == k['mesa']['insn'] == len(k['insns'])
               for k in known), "--mesa-log: Mesa's instructions are ours",
           known)
    check_spills(folder)
    _, done = profile(folder, 'true', options=[f'--mesa-log={SOFTLAKE}'])
    report(done.returncode == 125 and 'has no shader' in done.stderr,
           '--mesa-log: another file', done.stderr)


def check_harmless(folder):
    """Whatever befalls the layer, the client computes the same."""
    empty = folder / 'empty'
    empty.mkdir()
    p, done = profile(folder, STRICT, 'Portable')
    report('drawn' in done.stdout and not p.get('kernels'),
           'another platform: the client runs', done.stderr)
    done = run([SOFTLAKE, STRICT, 'Portable'], OPENCL_LAYERS=LAYER,
               SOFTLAKE_PROFILE=str(empty), SOFTLAKE_PROFILE_SOURCE='1')
    report('drawn' in done.stdout and not list(empty.glob('cl-program*')),
           'another platform: its programs are not looked at', done.stderr)
    for name, where in (('no directory', str(folder / 'nowhere')),
                        ('no name of a directory', '')):
        done = run([SOFTLAKE, NAMED], OPENCL_LAYERS=LAYER,
                   SOFTLAKE_PROFILE=where)
        report(done.stdout == 'computed\n', f'{name}: the client runs',
               done.stderr)
    p, done = profile(folder, NAMED, OPENCL_LAYERS='/nowhere/layer.so')
    report(done.stdout == 'computed\n' and
           all(k['name_from'] == 'none' for k in p['kernels']),
           "OPENCL_LAYERS: the user's stays", done.stderr)


def main():
    folder = pathlib.Path(tempfile.mkdtemp())
    try:
        plain = check_names(folder)
        check_readelf(folder, check_lines(folder, plain))
        check_tools(folder)
        check_symbols(folder, plain)
        check_mesa(folder)
        check_harmless(folder)
    finally:
        shutil.rmtree(folder)
    print('1..%d' % len(results))
    return 0 if all(results) else 1


sys.exit(main())
