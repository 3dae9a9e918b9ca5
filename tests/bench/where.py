"""Profiles a row: samples of perf, summed by room.

Samples are taken while the row repeats its work, after the start, on one core.
A symbol belongs to the room whose object file defines it. Time in compiled
kernels is `kernels`, time in Mesa `driver`.
"""
import bisect
import collections
import pathlib
import re
import subprocess
import tempfile

import measure

SUBROOMS = ('blt', 'compute', 'cs', 'geom', 'media', 'msg', 'raster', 'isa',
            'interp', 'jit')
OTHERS = (('perf-', 'kernels'), ('/dev/zero', 'kernels'), ('[JIT]', 'kernels'),
          ('_dri.so', 'driver'), ('libEGL', 'driver'), ('libGL', 'driver'),
          ('libgl', 'driver'), ('[kernel', 'system'), ('[vdso', 'system'),
          ('libc.so', 'libc'))
HERTZ = 1999
LEAST = 0.5  # percent


class Unavailable(Exception):
    """perf is missing or not allowed."""


def room_of(path, source):
    """The room of an object file below SOURCE of the build directory."""
    room = path.relative_to(source).parent.parent.as_posix()
    sub = path.name.split('_')[0]
    return '%s/%s' % (room, sub) if sub in SUBROOMS else room


class Symbols:
    """Finds the room of a function of the library."""

    def __init__(self, build):
        source = build / 'src'
        objects = [p for p in source.rglob('*.o') if 'cli' not in p.parts]
        self.known = collections.defaultdict(set)  # name: (file, room)
        for line in output('nm', '-A', '--defined-only', *objects):
            path, rest = line.split(':', 1)
            _, kind, name = rest.split(None, 2)
            if kind in 'tTwWi':
                path = pathlib.Path(path)
                self.known[name].add((path.name[:-2], room_of(path, source)))
        # Functions with one name come from different files.
        self.file, current = {}, ''
        library = source / 'drm-shim' / 'libsoftlake.so'
        for line in output('readelf', '-sW', library):
            fields = line.split()
            if len(fields) == 8 and fields[3] == 'FILE':
                current = fields[7]
            elif len(fields) == 8 and fields[3] == 'FUNC':
                self.file[int(fields[1], 16)] = current
        self.addresses = sorted(self.file)

    def room(self, name, address):
        # The compiler's own parts of a function follow a dot.
        homes = self.known.get(name) or self.known.get(name.split('.')[0])
        rooms = {room for _, room in homes or ()}
        if len(rooms) > 1:
            at = bisect.bisect(self.addresses, address) - 1
            file = self.file[self.addresses[at]]
            rooms = {room for path, room in homes
                     if path == file or path.endswith('_' + file)} or rooms
        return '|'.join(sorted(rooms)) or 'libc'


def output(*argv):
    return subprocess.run(argv, stdout=subprocess.PIPE, check=True, text=True,
                          stderr=subprocess.DEVNULL).stdout.splitlines()


def record(process, seconds, path):
    """Runs perf on a process of glbench while it works."""
    try:
        perf = subprocess.Popen(
            ['perf', 'record', '-q', '-F', str(HERTZ), '-o', path, '-p',
             str(process.child.pid), '--', 'sleep', str(seconds)],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    except OSError as error:
        raise Unavailable('perf: %s' % error)
    while perf.poll() is None:
        process.ask('time 0.1')
    errors = perf.communicate()[1].decode(errors='replace').strip()
    if not pathlib.Path(path).exists():
        raise Unavailable('perf: %s' % errors[-300:])


SAMPLE = re.compile(r'\s*([0-9.]+)%\s+(\S.*?)\s+(0x[0-9a-f]+)\s+\S+\s+'
                    r'\[[^]]\] (\S+)')


def shares(symbols, path):
    """Percent by room, the greatest first."""
    sums = collections.Counter()
    for line in output('perf', 'report', '-v', '-i', path, '--no-children',
                       '-g', 'none', '--stdio', '--sort', 'dso,symbol'):
        fields = SAMPLE.match(line)
        if not fields:
            continue
        percent, dso, address, name = fields.groups()
        if 'libsoftlake' in dso:
            room = symbols.room(name, int(address, 16))
        else:
            room = next((room for part, room in OTHERS if part in dso),
                        'other')
        sums[room] += float(percent)
    return sums.most_common()


def profile(row, config, symbols, seconds=1):
    """[(room, percent)] of a row of a client."""
    process = measure.Process(row.program, row.name, config, row.api)
    try:
        process.ask('time 0.1')
        with tempfile.TemporaryDirectory() as folder:
            path = str(pathlib.Path(folder) / 'perf.data')
            record(process, seconds, path)
            return shares(symbols, path)
    finally:
        process.close()


def text(name, found):
    parts = ['%s %.0f' % (room, percent) for room, percent in found
             if percent >= LEAST]
    return '%-34s %s' % (name, ', '.join(parts))
