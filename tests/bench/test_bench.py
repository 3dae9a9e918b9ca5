#!/usr/bin/env python3
"""Tests scripts/bench: its computations, and one row.

usage: test_bench.py BUILD

BUILD is a build directory. No test depends on speed. Output is TAP.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import measure  # noqa: E402
import media  # noqa: E402
import tables  # noqa: E402
import where  # noqa: E402

SCRIPT = HERE.parent.parent / 'scripts' / 'bench'
count = failed = 0


def check(good, text):
    global count, failed
    count += 1
    failed += not good
    print('%s %d - %s' % ('ok' if good else 'not ok', count, text))


def row(name, group, softlake, llvmpipe, problem=None):
    return {'name': name, 'group': group, 'unit': 'Mpix/s',
            'problem': problem, 'samples': {
                'softlake-1': {'cpu': softlake, 'wall': softlake,
                               'memory_kB': 2048},
                'llvmpipe-1': {'cpu': llvmpipe, 'wall': llvmpipe,
                               'memory_kB': 1024},
                'softlake-2': {'wall': [s / 2 for s in softlake]},
                'llvmpipe-2': {'wall': llvmpipe}}}


FAST = row('fill_a', 'fill', [1e-8, 2e-8, 4e-8], [4e-8, 8e-8, 8e-8])
SLOW = row('fill_b', 'fill', [1e-8] * 3, [1e-8] * 3)


def arithmetic():
    check(tables.ratios(FAST, 'llvmpipe-1', 'softlake-1', 'cpu') ==
          [4.0, 4.0, 2.0], 'ratios are those of a round')
    check(tables.ratio(FAST, 'llvmpipe-1', 'softlake-1', 'cpu') == 4,
          'and their median counts')
    check(tables.spread_percent([9, 10, 12]) == 15, 'half the range')
    check(abs(tables.geometric_mean([2, 8, None]) - 4) < 1e-9,
          'a geometric mean of what is there')
    check(tables.speed(FAST, 'softlake-1', 'cpu') == 50,
          '20 ns per pixel are 50 Mpix/s')
    check(tables.change(FAST, row('fill_a', 'fill', [2e-8] * 3, [1e-8] * 3))
          == 8, 'compared with an earlier run, relative to llvmpipe')
    turns = dict(FAST, samples=dict(FAST['samples'], **{
        'old-1': {'cpu': [5e-8, 6e-8, 7e-8]}}))
    check(abs(tables.change(turns, None) - 3) < 1e-9,
          'or with what took turns')
    alone = {'samples': {'softlake-1': {'cpu': [3e-8]}}}
    check(abs(tables.change(FAST, alone) - 1.5) < 1e-9,
          'or alone where it did not run')
    check(tables.number(0.012345) == '0.0123' and
          tables.number(12345.6) == '12346', 'three digits that count')


def verdicts():
    both = tables.groups_text([FAST, SLOW], 2, None).splitlines()
    line = [l for l in both if l.startswith('fill')][0].split()
    check(line[-6:] == ['1.00', '2.5', 'missed', '4.00', '2.00', '-'],
          'one row below the bar: the group misses it')
    line = tables.groups_text([FAST], 2, None)
    check('met' in line and 'missed' not in line, 'all rows above: met')
    wrong = dict(FAST, problem='frames differ')
    check('missed' in tables.groups_text([wrong], 2, None),
          'fast and wrong: missed')
    check('FAILED: frames differ' in tables.rows_text([wrong], 2, None),
          'and the row says so')


def data(build):
    known = tables.read_rows(measure.MEAN, measure.PERCENT)
    bars = tables.read_bars()
    listed = subprocess.run([str(build / 'tests/bench/glbench'), '--list'],
                            stdout=subprocess.PIPE, text=True).stdout
    names = [line.split()[0] for line in listed.splitlines()]
    check(names and sorted(names) == sorted(known),
          'rows.csv has the rows of glbench')
    check({r['group'] for r in known.values()} <= set(bars),
          'bars.csv has their groups')
    check({stream[1] for stream in media.STREAMS} <= set(bars),
          'and those of video')
    table = 'kernel  insns vector\npbr 294 286 4 50.0 46.0 1876 6.38 2.35\n'
    check(measure.cycles_of(table, 'pbr') == (6.38, 6.38),
          "the kernels' table")
    try:
        measure.cycles_of(table, 'phong')
        check(False, 'a kernel that is not in it')
    except measure.Failed:
        check(True, 'a kernel that is not in it')


class Fake:
    """A row whose second sample fails."""
    name, group, unit = 'fake', 'fill', 'Mpix/s'
    closed, sampled = False, 0

    def open(self, configs):
        pass

    def sample(self, config):
        self.sampled += 1
        if self.sampled == 2:
            raise measure.Failed('lost')
        return 1.0, 1.0

    def close(self):
        self.closed = True


def failures(build, folder):
    fake = Fake()
    result = measure.measure(fake, [measure.Config('llvmpipe', 1)], 3)
    check(result['problem'] == 'lost' and fake.closed,
          'a row that fails is closed and reported')
    kernel = measure.KernelRow(str(folder / 'none'), 'pbr')
    result = measure.measure(kernel, [measure.Config('softlake', 1, 'none')],
                             1)
    check('none' in result['problem'], 'a program that is not there too')
    video = media.MediaRow(media.STREAMS[0], folder / 'missing', 1)
    video.run = lambda config, loops, output: (2.0 - loops, 1.0, '')
    try:
        video.sample(measure.Config('llvmpipe', 1))
        check(False, 'frames that cost nothing')
    except measure.Failed:
        check(True, 'frames that cost nothing')
    glbench = str(build / 'tests/bench/glbench')
    (folder / 'a').write_bytes(b'\0\0\0\0' * 8)
    (folder / 'b').write_bytes(b'\0\0\0\0' * 7 + b'\0\0\x80\x3f')
    text = subprocess.run([glbench, '--compare', str(folder / 'a'),
                           str(folder / 'b')], stdout=subprocess.PIPE,
                          text=True).stdout
    check(text == 'compare 31.8750 12.5000\n', 'one of eight values is off')
    short = subprocess.run([glbench, '--compare', str(folder / 'a'),
                            '/dev/null'], stderr=subprocess.DEVNULL)
    check(short.returncode == 1, 'a picture of another size is no match')


def one_row(build, folder):
    """A whole run, and a second one that is compared with it."""
    first, second = folder / 'first.json', folder / 'second.json'
    command = [str(SCRIPT), '--build', str(build), '--quick', '--rounds', '1',
               '--filter', '^draw_finish_roundtrip$', '--json']
    done = subprocess.run(command + [str(first)], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    print(''.join('# %s\n' % line for line in done.stdout.splitlines()))
    check(done.returncode == 0, 'a row runs')
    results = json.loads(first.read_text())['rows']
    check([r['name'] for r in results] == ['draw_finish_roundtrip'] and
          all(len(s['cpu']) == 1 and s['cpu'][0] > 0 and s['memory_kB'] > 0
              for s in results[0]['samples'].values()) and
          set(results[0]['samples']) == {'softlake-1', 'llvmpipe-1'},
          'its samples are in the JSON file')
    done = subprocess.run(command + [str(second), '--compare', str(first)],
                          stdout=subprocess.PIPE, text=True)
    line = [l for l in done.stdout.splitlines()
            if l.startswith('draw_finish')]
    check(done.returncode == 0 and len(line) == 1 and
          float(line[0].split()[-1]) > 0, 'and compared with the next one')
    (folder / 'bad.json').write_text('{"format": 0}')
    done = subprocess.run(command + [str(second), '--compare',
                                     str(folder / 'bad.json')],
                          stderr=subprocess.DEVNULL)
    check(done.returncode == 1, 'but not with any file')


def profiles(build):
    symbols = where.Symbols(build)
    check(symbols.room('msg_render', 0) == 'engine/msg' and
          symbols.room('no_such_function', 0) == 'libc',
          'a function is in its room')
    library = build / 'src' / 'drm-shim' / 'libsoftlake.so'
    rooms = {}
    for line in where.output('nm', '--defined-only', library):
        address, kind, name = line.split(None, 2)
        homes = {room for _, room in symbols.known.get(name, ())}
        if kind == 't' and len(homes) > 1:
            rooms.setdefault(name, set()).add(
                symbols.room(name, int(address, 16)))
    check(any(len(r) > 1 for r in rooms.values()) and
          not any('|' in room for r in rooms.values() for room in r),
          'functions of the same name are told apart')
    row = measure.GlRow(str(build / 'tests/bench/glbench'),
                        {'name': 'fill_flat_rgba8', 'group': 'fill', 'mean': 1,
                         'percent': 1}, 'Mpix/s', None, 0.1)
    config = measure.Config('softlake', 1, str(build / 'src/cli/softlake'))
    try:
        found = where.profile(row, config, symbols)
        print('# ' + where.text(row.name, found))
        check(dict(found).get('engine/raster', 0) > 0 and
              95 < sum(share for _, share in found) < 105,
              'samples of a row are in the rooms that draw it')
    except where.Unavailable as error:
        check(True, 'samples of a row # SKIP %s' % error)


def main():
    build = pathlib.Path(sys.argv[1])
    print('TAP version 13')
    arithmetic()
    verdicts()
    data(build)
    profiles(build)
    with tempfile.TemporaryDirectory() as folder:
        failures(build, pathlib.Path(folder))
        one_row(build, pathlib.Path(folder))
    print('1..%d' % count)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
