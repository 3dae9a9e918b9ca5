#!/usr/bin/env python3
"""Tests scripts/bench: its computations, and one row.

usage: test_bench.py BUILD

BUILD is a build directory. No test depends on speed. Output is TAP.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import configs  # noqa: E402
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


def row(name, group, softlake, reference, problem=None, noop=None):
    samples = {'softlake-1': {'cpu': softlake, 'wall': softlake,
                              'memory_kB': 2048},
               'reference-1': {'cpu': reference, 'wall': reference,
                               'memory_kB': 1024},
               'softlake-2': {'wall': [s / 2 for s in softlake]},
               'reference-2': {'wall': reference}}
    if noop:
        samples['noop-1'] = {'cpu': noop, 'wall': noop}
    return {'name': name, 'group': group, 'unit': 'Mpix/s',
            'problem': problem, 'samples': samples,
            'drivers': {'reference-1': 'llvmpipe; Mesa 25.0.7'}}


def record(*rows, **more):
    return dict({'rows': list(rows), 'cores': 2}, **more)


FAST = row('fill_a', 'fill', [1e-8, 2e-8, 4e-8], [4e-8, 8e-8, 8e-8])
SLOW = row('fill_b', 'fill', [1e-8] * 3, [1e-8] * 3)


def arithmetic():
    check(tables.ratios(FAST, 'reference-1', 'softlake-1', 'cpu') ==
          [4.0, 4.0, 2.0], 'ratios are those of a round')
    check(tables.ratio(FAST, 'reference-1', 'softlake-1', 'cpu') == 4,
          'and their median counts')
    check(tables.spread_percent([9, 10, 12]) == 15, 'half the range')
    check(abs(tables.geometric_mean([2, 8, None]) - 4) < 1e-9,
          'a geometric mean of what is there')
    check(tables.speed(FAST, 'softlake-1', 'cpu') == 50,
          '20 ns per pixel are 50 Mpix/s')
    check(tables.change(FAST, row('fill_a', 'fill', [2e-8] * 3, [1e-8] * 3))
          == 8, 'compared with an earlier run, relative to the reference')
    turns = dict(FAST, samples=dict(FAST['samples'], **{
        'old-1': {'cpu': [5e-8, 6e-8, 7e-8]}}))
    check(abs(tables.change(turns, None) - 3) < 1e-9,
          'or with what took turns')
    alone = {'samples': {'softlake-1': {'cpu': [3e-8]}}}
    check(abs(tables.change(FAST, alone) - 1.5) < 1e-9,
          'or alone where it did not run')
    check(tables.number(0.012345) == '0.0123' and
          tables.number(12345.6) == '12346', 'three digits that count')


def group(name, *rows, **more):
    """Words of the line of a group, after its title."""
    text = tables.groups_text(record(*rows, **more))
    line = [l for l in text.splitlines() if l.startswith(name)][0]
    return line[len(name):].split()


def verdicts():
    check(group('fill and blend', FAST, SLOW) ==
          ['2', '2.00', '1.00', '-', '-', '2.5', 'missed', '4.00', '2.00',
           '-'], 'one row below the bar: the group misses it')
    found = group('fill and blend', FAST)
    check('met' in found and 'missed' not in found, 'all rows above: met')
    wrong = dict(FAST, problem='frames differ')
    check('missed' in group('fill and blend', wrong),
          'fast and wrong: missed')
    text = tables.rows_text(record(wrong))
    check('FAILED: frames differ' in text, 'and the row says so')
    check('reference: llvmpipe; Mesa 25.0.7 (1 rows)' in text,
          'the table says what the reference is')


def judges():
    """Rows that the stock driver alone judges, and limits."""
    near = row('draw_10k', 'draws', [1.1e-8] * 3, [1e-9] * 3, noop=[1e-8] * 3)
    far = row('draw_10k', 'draws', [4e-8] * 3, [8e-8] * 3, noop=[1e-8] * 3)
    check(group('draw calls', near)[3:] ==
          ['0.91', '-', '0.85', 'met', '0.18', '2.00', '-'],
          'slower than the reference, but nearly all is the driver: met')
    check('missed' in group('draw calls', far),
          'faster than the reference, but not the driver: missed')
    unknown = row('draw_10k', 'draws', [4e-8] * 3, [8e-8] * 3)
    check('missed' not in group('draw calls', unknown) and
          'met' not in group('draw calls', unknown),
          'no verdict without the judge')
    quick = row('fill_a', 'fill', [1e-9] * 3, [9e-9] * 3)
    check('1.00' not in group('all rows', quick, near)[2:3] and
          group('all rows', quick, near)[2] == '9.00',
          'the worst of all rows is none that noop judges')
    check('1/2.3' in group('all rows', quick, isa='avx2') and
          '1/3.3' in group('all rows', quick, isa='avx512'),
          'bars of all rows depend on the host')
    filled = row('fill_flat_rgba8', 'fill', [1e-9] * 3, [9e-9] * 3)
    check('50' in group('fill and blend', filled, limits={'fill': 8e9}) and
          '-' in group('fill and blend', filled)[4],
          '4 bytes in 1 ns are half of 8 GB/s')
    check(configs.machine_limits('copy 2e10\nfma-avx2 1e11\nfma-avx512 2e11\n',
                                 'avx2') == {'copy': 2e10, 'fma': 1e11},
          "the limit of arithmetic is that of the kernels' instructions")
    text = tables.markdown(record(FAST, SLOW, near))
    check('| fill and blend | 2 | 2.00 | 1.00 (fill_b) | - | - | 2.5 | missed |'
          in text and text.count('\n') == 4, 'a table for the docs')


def command_lines():
    noop = configs.Config('noop', 1, 'softlake')
    command, env = noop.command(['a', 'b'], 'cl')
    check(command == ['softlake', '-j', '0', '--noop', '--', 'a', 'b'] and
          'intel' in env['OCL_ICD_VENDORS'] and 'LP_NUM_THREADS' not in env,
          'the stock driver alone')
    root = configs.Chroot.__new__(configs.Chroot)
    root.process = 42
    chroot = configs.Config('reference', 2, chroot=root)
    command, env = chroot.command(['a'], 'gl', {'X': 'y'})
    check(command[:3] == ['nsenter', '--target', '42'] and
          command[-1] == 'a' and env is None and
          {'X=y', 'GALLIUM_DRIVER=llvmpipe', 'LP_NUM_THREADS=2'} <=
          set(command), 'a reference of another distribution')
    check(chroot.here().command(['a'], 'gl')[0] == ['a'],
          'or of this one, for video')
    os.environ['GALLIUM_DRIVER'] = 'zink'
    check('GALLIUM_DRIVER' not in noop.command(['a'], 'gl')[1],
          'what chooses a driver is not inherited')
    del os.environ['GALLIUM_DRIVER']
    wall, cpu, _, status, text = configs.Config('reference', 1).timed(
        ['sh', '-c', 'echo $LP_NUM_THREADS; exit 3'], 'gl')
    check(wall > 0 and cpu >= 0 and status == 3 and text == '0\n',
          'a command is timed')


def data(build):
    known = tables.read_rows(measure.MEAN, measure.PERCENT)
    bars = tables.read_bars()
    names, missing = [], []
    for client in ('glbench', 'clbench', 'vkbench'):
        program = build / 'tests' / 'bench' / client
        if not program.exists():
            missing.append(client[:2] + '_')
            continue
        listed = subprocess.run([str(program), '--list'], text=True,
                                stdout=subprocess.PIPE).stdout
        names += [line.split()[0] for line in listed.splitlines()]
    wanted = [n for n in known if n[:3] not in missing]
    check(names and sorted(names) == sorted(wanted),
          'rows.csv has the rows of the clients')
    check({r['limit'][0] for r in known.values() if r['limit']} ==
          {'fma', 'copy', 'fill', 'read'}, 'limits are those of machine.c')
    check({judge for _, _, judge, _ in bars.values()} == {'', 'noop'},
          'judges are the reference and noop')
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
    drivers = dict

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
    result = measure.measure(fake, [measure.Config('reference', 1)], 3)
    check(result['problem'] == 'lost' and fake.closed,
          'a row that fails is closed and reported')
    kernel = measure.KernelRow(str(folder / 'none'), 'pbr')
    result = measure.measure(kernel, [measure.Config('softlake', 1, 'none')],
                             1)
    check('none' in result['problem'], 'a program that is not there too')
    video = media.MediaRow(media.STREAMS[0], folder / 'missing', 1)
    video.run = lambda config, loops, output: (2.0 - loops, 1.0, '')
    try:
        video.sample(measure.Config('reference', 1))
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
          set(results[0]['samples']) == {'softlake-1', 'reference-1',
                                         'noop-1'},
          'its samples are in the JSON file')
    check('llvmpipe' in results[0]['drivers']['reference-1'],
          'and what the reference is')
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


def other_rows(build, folder):
    """OpenCL and Vulkan, as far as they are here."""
    done = subprocess.run(
        [str(SCRIPT), '--build', str(build), '--quick', '--rounds', '1',
         '--filter', '^(cl_add_u8|vk_copy_4MB)$', '--json',
         str(folder / 'other.json')],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(''.join('# %s\n' % line for line in done.stdout.splitlines()))
    if 'no row is selected' in done.stdout:
        check(True, 'rows of OpenCL and Vulkan # SKIP not built')
        return
    check(done.returncode == 0, 'rows of OpenCL and Vulkan run')
    shown = subprocess.run([str(SCRIPT), '--show', str(folder / 'other.json')],
                           stdout=subprocess.PIPE, text=True)
    check(shown.returncode == 0 and shown.stdout == done.stdout,
          'and are shown again')


def no_chroot(build, folder):
    env = dict(os.environ, SOFTLAKE_CHROOTS=str(folder / 'chroots'),
               SOFTLAKE_MIRROR='http://127.0.0.1:9/debian')
    done = subprocess.run(
        [str(SCRIPT), '--build', str(build), '--quick', '--rounds', '1',
         '--filter', '^cs_copy_4MB$', '--reference', 'trixie'],
        env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    check(done.returncode == 1 and 'bench: distro: ' in done.stdout and
          'FAILED' not in done.stdout, 'a reference that is not here ends it')


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
    row = measure.ClientRow(str(build / 'tests/bench/glbench'), 'gl',
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
    judges()
    command_lines()
    data(build)
    profiles(build)
    with tempfile.TemporaryDirectory() as folder:
        failures(build, pathlib.Path(folder))
        one_row(build, pathlib.Path(folder))
        other_rows(build, pathlib.Path(folder))
        no_chroot(build, pathlib.Path(folder))
    print('1..%d' % count)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
