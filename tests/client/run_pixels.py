#!/usr/bin/env python3
"""softlake profile --pixels, --overdraw, --sampler: pixels of draws, texels.

usage: run_pixels.py SOFTLAKE GL_QUERIES GL_DRAWS

The programs draw, through stock drivers, what can be counted by hand, and ask
OpenGL's own queries. Numbers must be the same for any number of threads, with
the interpreter and on any processor; pictures those of runs without counters.
TAP.
"""
import base64
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
import zlib

SOFTLAKE, QUERIES, DRAWS = (os.path.abspath(p) for p in sys.argv[1:4])
TIMEOUT_S = 300
SIZE = 256
PIXELS = SIZE * SIZE
results = []


def report(ok, name, *why):
    results.append(bool(ok))
    print('%sok %d - %s' % ('' if ok else 'not ', len(results), name))
    if not ok:
        print('#', *(str(w).replace('\n', '\n# ') for w in why))
    sys.stdout.flush()


def run(command, **env):
    return subprocess.run(list(map(str, command)), env={
        **os.environ, 'EGL_PLATFORM': 'surfaceless', **env}, text=True,
        capture_output=True, timeout=TIMEOUT_S)


def profile(folder, command, *options, threads='2', **env):
    path = folder / 'profile.json'
    path.unlink(missing_ok=True)
    done = run([SOFTLAKE, '-j', threads, 'profile', '--pixels',
                f'--json={path}', *options, '--', *command], **env)
    return json.loads(path.read_text()) if path.exists() else {}, done


def own_draws(p):
    """Draws of the program: the driver's own have no vertex shader."""
    return [d for d in p.get('draws', ())
            if any(k.startswith('vs_') for k in d['kernels'])]


# By hand; keys that are not named have these.
PLAIN = {'vertices': 3, 'primitives': 1, 'clipper_in': 1, 'rejected': 0,
         'clipped': 0, 'culled': 0, 'pixels': PIXELS, 'failed_early': 0,
         'killed': 0, 'failed_late': 0, 'samples_written': PIXELS,
         'samples_blended': 0, 'quads': PIXELS // 4, 'quad_pixels': PIXELS,
         'fs_threads': PIXELS // 16, 'target_samples': PIXELS,
         'target': [SIZE, SIZE], 'samples': 1, 'quad_occupancy': 1,
         'lanes_per_thread': 16, 'overdraw': 1}
ABSENT = None
HIDDEN = {'failed_early': PIXELS, 'samples_written': 0, 'quads': 0,
          'quad_pixels': 0, 'fs_threads': 0, 'target_samples': 0,
          'quad_occupancy': ABSENT, 'lanes_per_thread': ABSENT,
          'overdraw': ABSENT}

# The scenes of gl_queries.c, some of which draw something nearer before.
OF_QUERIES = [
    ('triangle', {}),
    ('blend', {'samples_blended': PIXELS}),
    ('discard', {'killed': PIXELS // 2, 'samples_written': PIXELS // 2,
                 'overdraw': .5}),
    ('before hidden', {}),
    ('hidden', HIDDEN),
    ('before late', {}),
    ('late', {'failed_late': PIXELS, 'samples_written': 0,
              'target_samples': 0, 'overdraw': ABSENT}),
    ('texture', {}),
    ('samples', {'samples': 4, 'samples_written': 4 * PIXELS,
                 'target_samples': 4 * PIXELS}),
    # Nineteen of the triangles are points.
    ('twenty', {'vertices': 60, 'primitives': 20, 'clipper_in': 20,
                'culled': 19}),
]
# The draws of gl_draws.c.
OF_DRAWS = [
    ('full', {}),
    ('small', {'pixels': 10, 'samples_written': 10, 'quads': 3,
               'quad_pixels': 10, 'fs_threads': 1, 'quad_occupancy': 10 / 12,
               'lanes_per_thread': 10, 'overdraw': 10 / PIXELS}),
    ('five', {'vertices': 15, 'primitives': 5, 'clipper_in': 5,
              'pixels': 5 * PIXELS, 'samples_written': 5 * PIXELS,
              'quads': 5 * PIXELS // 4, 'quad_pixels': 5 * PIXELS,
              'fs_threads': 5 * PIXELS // 16, 'overdraw': 5}),
]
# Values that OpenGL counts, too.
ASKED = {'vertices': 'vertices', 'primitives': 'primitives',
         'clipper_in': 'clipper in', 'quad_pixels': 'fragments',
         'samples_written': 'samples passed'}


def differences(draw, want):
    for key, value in {**PLAIN, **want}.items():
        have = draw.get(key)
        same = have == value if value is None or have is None or \
            isinstance(value, list) else abs(have - value) < 1e-9
        if not same:
            yield '%s is %s instead of %s' % (key, have, value)


def pictures(text):
    return [l for l in text.splitlines() if l.startswith('picture')]


def check_queries(folder):
    p, done = profile(folder, [QUERIES, 'plain'])
    draws = own_draws(p)
    report(len(draws) == len(OF_QUERIES), 'gl_queries: a row for each draw',
           len(draws), done.stderr)
    for (name, want), draw in zip(OF_QUERIES, draws):
        wrong = list(differences(draw, want))
        report(not wrong, f'gl_queries: {name}: numbers are those by hand',
               *wrong)
    plain = run([SOFTLAKE, QUERIES, 'plain'])
    report(done.stdout and pictures(done.stdout) == pictures(plain.stdout),
           'gl_queries: pictures are those without counters')


def scenes(text):
    names = re.findall(r'^picture (\S+)', text, re.M)
    asked = {n: {} for n in names}
    for name, query, value in re.findall(r'^(\w+)/(.+) (\d+)$', text, re.M):
        asked[name][query] = int(value)
    return asked


def check_draws(folder):
    """The draws of gl_draws.c by hand, and as OpenGL counts them."""
    p, done = profile(folder, [DRAWS], f'--csv={folder}/csv',
                      f'--html={folder}/r.html')
    asked = scenes(done.stdout)
    draws = dict(zip(asked, own_draws(p)))
    report(asked and len(draws) == len(own_draws(p)),
           'gl_draws: a row for each scene', done.stderr)
    for name, want in OF_DRAWS:
        wrong = list(differences(draws[name], want))
        report(not wrong, f'gl_draws: {name}: numbers are those by hand',
               *wrong)
    for name, draw in draws.items():
        wrong = [(key, draw[key], asked[name][query])
                 for key, query in ASKED.items()
                 if draw[key] != asked[name][query]]
        report(not wrong, f'gl_draws: {name}: numbers are those of OpenGL',
               *wrong)
    cull = draws['cull']
    report([cull[k] for k in ('primitives', 'clipper_in', 'rejected',
                              'clipped', 'culled')] == [4, 4, 1, 1, 1],
           'gl_draws: cull: one is outside, one cut, one shows its back', cull)
    report(asked['cull']['clipper out'] == 4,
           'gl_draws: cull: two pieces are made of one', asked['cull'])
    report('culled' not in draws['outlines'],
           'gl_draws: outlines: what is not known has no key',
           draws['outlines'])
    plain = run([SOFTLAKE, DRAWS])
    report(pictures(done.stdout) == pictures(plain.stdout) and
           scenes(plain.stdout) == asked,
           'gl_draws: pictures and queries are those without counters')
    check_files(folder, p, done)


def check_files(folder, p, done):
    with open(folder / 'csv/draws.csv', newline='') as f:
        rows = list(csv.DictReader(f))
    same = len(rows) == len(p['draws']) and all(
        row[key] == str(draw.get(key, '-'))
        for row, draw in zip(rows, p['draws'])
        for key in ('draw', 'pid', 'pixels', 'culled', 'quads', 'format'))
    report(same, 'files: draws.csv has the draws', rows[:1], p['draws'][:1])
    for key in 'pixels', 'samples_written', 'vertices':
        report(sum(d.get(key, 0) for d in p['draws']) ==
               sum(s.get(key, 0) for s in p['draw_sums']),
               f'files: sums by kernels have all {key}')
    report(sum(s['draws'] for s in p['draw_sums']) == len(p['draws']),
           'files: sums by kernels have all draws')
    found = {(f['rule']) for f in p['findings']}
    report('overdraw' in found and 'quad occupancy' not in found,
           'findings: five layers are overdraw', found)
    page = (folder / 'r.html').read_text()
    report('<section id="draws">' in page and '5.00</td>' in page,
           'html: the page has the draws')
    report(re.search(r'draws, by kernels .* overdraw', done.stderr),
           'summary: it has a table', done.stderr)
    again = folder / 'again.json'
    run([SOFTLAKE, 'profile', '-q', f'--from={folder}/profile.json',
         f'--json={again}'])
    report(json.loads(again.read_text()) == p, '--from: the same profile.json')


def numbers(p):
    """What does not depend on the run. How a driver copies textures does: it
    takes other ways while the GPU is busy."""
    own = [{k: v for k, v in d.items() if k not in ('pid', 'batch', 'draw')}
           for d in own_draws(p)]
    ids = {i for d in own for i in d['ids']}
    return own, [s for s in p.get('draw_sums', ()) if ids & set(s['ids'])], \
        [t for t in p.get('sampler', ()) if t['kernel'] in
         {k for d in own for k in d['kernels']}]


def difference(a, b):
    for x, y in zip(a, b):
        for one, other in zip(x, y):
            wrong = {k: (one.get(k), other.get(k)) for k in {*one, *other}
                     if one.get(k) != other.get(k)}
            if wrong:
                return wrong
    return [len(x) for x in a + b]


def check_equal(folder):
    """Whatever executes them, draws have the same numbers."""
    want, _ = profile(folder, [DRAWS, 'once'], '--sampler', threads='0',
                      SOFTLAKE_EU='interp')
    for threads, env in (('0', {}), ('1', {}), ('2', {}), ('8', {}),
                         ('2', {'SOFTLAKE_CPU': 'avx2'}),
                         ('2', {'SOFTLAKE_CPU': 'sse4'})):
        p, _ = profile(folder, [DRAWS, 'once'], '--sampler', threads=threads,
                       **env)
        report(p and numbers(p) == numbers(want),
               f"equal: {threads} threads {''.join(env.values())}: numbers "
               "are the interpreter's", difference(numbers(p), numbers(want)))


def read_png(path):
    """Width, height, channels, and a list of values per row."""
    data, at, parts = path.read_bytes(), 8, {}
    while at < len(data):
        size, kind = struct.unpack('>I4s', data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        if zlib.crc32(kind + body) != struct.unpack(
                '>I', data[at + 8 + size:at + 12 + size])[0]:
            return None
        parts[kind] = body
        at += 12 + size
    width, height, bits, color = struct.unpack('>IIBB', parts[b'IHDR'][:10])
    channels = {0: 1, 2: 3}[color]
    raw = zlib.decompress(parts[b'IDAT'])
    stride = 1 + width * channels * bits // 8
    unpack = struct.Struct('>%d%s' % (width * channels,
                                      'H' if bits == 16 else 'B')).unpack
    return width, height, channels, [
        unpack(raw[y * stride + 1:(y + 1) * stride]) for y in range(height)]


def check_overdraw(folder):
    """Pictures have the counts of each pixel."""
    maps = folder / 'maps'
    p, done = profile(folder, [DRAWS, 'once'], f'--overdraw={maps}')
    targets = p['targets']
    counts = [maps / (t['picture'] + '-counts.png') for t in targets]
    pictures = [read_png(c) for c in counts]
    report(targets and all(sum(map(sum, c[3])) == t['pixels_written'] and
                           max(map(max, c[3])) == t['most']
                           for c, t in zip(pictures, targets)),
           'overdraw: pictures of counts have all writes', done.stderr)
    report(sum(t['pixels_written'] for t in targets) ==
           sum(d.get('samples_written', 0) for d in p['draws']),
           'overdraw: all samples of single-sampled targets are there')
    # The ten pixels of the scene "small", in a corner of their target.
    want = [[1, 1, 1, 1], [1, 1, 1, 0], [1, 1, 0, 0], [1, 0, 0, 0]]
    corners = [[list(row[:4]) for row in c[3][:4]] for c in pictures
               if c[0] == SIZE] + [[list(row[:4]) for row in c[3][:-5:-1]]
                                   for c in pictures if c[0] == SIZE]
    report(any([[n - corner[3][3] for n in row] for row in corner] == want
               for corner in corners),
           'overdraw: the pixels of a small triangle are where they are')
    shown = [read_png(maps / (t['picture'] + '.png')) for t in targets]
    page, others = folder / 'maps.html', folder / 'others'
    run([SOFTLAKE, 'profile', '-q', f'--html={page}', f'--overdraw={others}',
         '--', DRAWS, 'once'])
    inside = [base64.b64decode(t) for t in re.findall(
        r'src="data:image/png;base64,([^"]*)"', page.read_text())]
    report(inside and sorted(inside) == sorted(
        f.read_bytes() for f in others.glob('*.png')
        if not f.name.endswith('-counts.png')),
        'overdraw: the page has the pictures')
    black = all((n == 0) == (rgb[3 * x:3 * x + 3] == (0, 0, 0))
                for c, s in zip(pictures, shown)
                for row, rgb in zip(c[3], s[3]) for x, n in enumerate(row))
    report(black, 'overdraw: what was never written is black')
    done = run([SOFTLAKE, 'profile', f'--from={folder}/profile.json',
                f'--overdraw={maps}'])
    report(done.returncode == 125 and 'need a run' in done.stderr,
           'overdraw: a profile.json has no pictures', done.stderr)


def check_ranges(folder):
    """Other draws are not listed, and write nothing into pictures."""
    p, done = profile(folder, [DRAWS, 'once'], '--draws=3-5', '--sampler',
                      f'--overdraw={folder}/ranges')
    draws = p.get('draws', ())
    report([d['draw'] for d in draws] == [3, 4, 5] and
           sum(s['draws'] for s in p['draw_sums']) == 3,
           'ranges: --draws lists its draws', draws, done.stderr)
    report(sum(t['pixels_written'] for t in p['targets']) ==
           sum(d.get('samples_written', 0) for d in draws) > 0,
           'ranges: pictures have them alone', p['targets'], draws)
    report({t['kernel'] for t in p.get('sampler', ())} <=
           {k for d in draws for k in d['kernels']},
           'ranges: texels likewise', p.get('sampler'))
    p, done = profile(folder, [DRAWS, 'once'], '--dispatches=1')
    report(not p.get('draws'), 'ranges: --dispatches alone lists no draw',
           p.get('draws'), done.stderr)


def check_sampler(folder):
    """Texels by hand: width by height by those of the filter."""
    p, done = profile(folder, [DRAWS], '--sampler', f'--csv={folder}/csv',
                      f'--html={folder}/r.html')
    names = list(scenes(done.stdout))
    draws = dict(zip(names, own_draws(p)))

    def rows(scene):
        kernel = draws[scene]['kernels'][-1]
        return [(t['message'][:6], t['filter'], t['level'], t['levels'],
                 t['lanes'], t['texels'], t['minified'])
                for t in p['sampler'] if t['kernel'] == kernel]

    # The scenes "bilinear" and "nearest" have the same shader.
    report(rows('bilinear') == [
        ('sample', 'linear', 0, 1, PIXELS, 4 * PIXELS, 0),
        ('sample', 'nearest', 0, 1, PIXELS, PIXELS, 0)],
        'sampler: a quad with a bilinear filter, and with none',
        rows('bilinear'))
    # So have "trilinear" and "minified"; the level is a whole one.
    report(rows('trilinear') == [
        ('sample', 'linear', 0, 1, PIXELS, 4 * PIXELS, PIXELS),
        ('sample', 'linear', 2, 11, PIXELS, 4 * PIXELS, PIXELS)],
        'sampler: level 2 of a texture, and level 0 of one without others',
        rows('trilinear'))
    diagonal = [t for t in p['sampler'] if t['filter'] == 'linear' and
                t['kernel'] == draws['bilinear']['kernels'][-1]]
    # 128 quads of two pixels each along the diagonal, in both triangles.
    report(diagonal and diagonal[0]['helper_lanes'] == 4 * SIZE // 2,
           'sampler: helper pixels along the diagonal are apart', diagonal)
    found = [f for f in p['findings'] if f['rule'] == 'missing levels']
    report([f['kernel'] for f in found] ==
           [draws['minified']['kernels'][-1]],
           'findings: a texture without levels', p['findings'])
    with open(folder / 'csv/sampler.csv', newline='') as f:
        table = list(csv.DictReader(f))
    report([(r['kernel'], int(r['texels'])) for r in table] ==
           [(t['kernel'], t['texels']) for t in p['sampler']],
           'files: sampler.csv has the texels')
    plain = run([SOFTLAKE, DRAWS])
    report(pictures(done.stdout) == pictures(plain.stdout),
           'sampler: pictures are those without counters')


def check_processes(folder):
    """Killed processes are counted."""
    once, _ = profile(folder, [DRAWS, 'once'])
    script = '"$0" once; "$0" once & wait; kill -9 $$'
    p, done = profile(folder, ['sh', '-c', script, DRAWS])
    report(len(own_draws(p)) == 2 * len(own_draws(once)) and
           sum(s['draws'] for s in p['draw_sums']) == len(p['draws']),
           'processes: draws of all are there', done.stderr)
    kernel = own_draws(once)[0]['ids']
    pixels = [[s['pixels'] for s in q['draw_sums'] if s['ids'] == kernel]
              for q in (once, p)]
    report([2 * n for n in pixels[0]] == pixels[1],
           'processes: sums are of all', pixels)
    p, done = profile(folder, ['true'])
    report('draws' not in p, 'processes: no draws, no key', done.stderr)


def main():
    folder = pathlib.Path(tempfile.mkdtemp())
    try:
        check_queries(folder)
        check_draws(folder)
        check_overdraw(folder)
        check_ranges(folder)
        check_sampler(folder)
        check_equal(folder)
        check_processes(folder)
    finally:
        shutil.rmtree(folder)
    print('1..%d' % len(results))
    return 0 if all(results) else 1


sys.exit(main())
