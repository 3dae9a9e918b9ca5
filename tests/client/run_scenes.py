#!/usr/bin/env python3
"""Draws every scene on llvmpipe and on Softlake, and judges the pictures.

usage: run_scenes.py SCENES SOFTLAKE [--update | --recorded] [--keep DIR]
                     [--preload LIB] [--threads N,N...] [--zink]
                     [--platform NAME] [NAME...]

A scene passes if Softlake's picture agrees with llvmpipe's within the scene's
tolerance, is the same byte for byte with 0, 1, 2 and 8 threads, has the
checksum that is recorded for it, and if the strict launcher had no complaint.
checksums.txt has pictures of Kaby Lake and Debian 12's driver;
checksums-mesaN.txt has the pictures that differ with release N of Mesa, which
has other commands or shaders. checksums-NAME.txt has the pictures of another
GPU, which --platform chooses, and the reasons. Output is TAP. --update records
the pictures of scenes that agree with llvmpipe, for this driver or GPU. It
drops pictures from these files that are equal in checksums.txt; review the
difference before committing. --recorded: a picture with the recorded checksum
is not compared with llvmpipe's again. --zink draws on Intel's Vulkan driver (anv; hasvk
for Broadwell), through Mesa's GL on Vulkan. Its pictures have no checksums.
"""
import argparse
import concurrent.futures
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
COMMON_RELEASE = '22'  # Mesa's, whose pictures checksums.txt has
LLVMPIPE = {'LIBGL_ALWAYS_SOFTWARE': '1', 'GALLIUM_DRIVER': 'llvmpipe',
            'LP_NUM_THREADS': '0',
            # Without its shortcuts in texture filtering.
            'GALLIVM_PERF': 'no_brilinear,no_rho_approx,no_quad_lod,'
                            'no_aos_sampling'}
ZINK = {'MESA_LOADER_DRIVER_OVERRIDE': 'zink'}
OFF_BY = 8  # a pixel counts as wrong if a channel differs by more than this
TIMEOUT_S = 120


def environment(extra):
    env = dict(os.environ, MESA_SHADER_CACHE_DISABLE='true', **extra)
    for name in ('LIBGL_ALWAYS_SOFTWARE', 'GALLIUM_DRIVER',
                 'MESA_LOADER_DRIVER_OVERRIDE', 'INTEL_DEBUG'):
        if name not in extra:
            env.pop(name, None)
    return env


def draw(command, name, path, extra):
    """Returns (bytes or None, message)."""
    try:
        run = subprocess.run(command + [name, path], env=environment(extra),
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        return None, 'timed out'
    text = run.stdout.decode(errors='replace').strip()
    if run.returncode:
        return None, 'exit status %d: %s' % (run.returncode, text[-600:])
    return pathlib.Path(path).read_bytes(), text


def difference(a, b):
    """Mean absolute difference of a channel, percent of pixels far off."""
    total = far = 0
    for i in range(0, len(a), 4):
        if a[i:i + 4] == b[i:i + 4]:
            continue
        deltas = [abs(a[i + c] - b[i + c]) for c in range(4)]
        total += sum(deltas)
        far += max(deltas) > OFF_BY
    return total / len(a), 100.0 * far / (len(a) / 4)


class Judge:
    def __init__(self, args, directory, known, extra):
        self.args, self.directory, self.known = args, directory, known
        self.extra = extra
        self.platform = platform_option(args)

    def path(self, name, kind):
        return str(self.directory / ('%s.%s.raw' % (name, kind)))

    def softlake(self, threads):
        return [self.args.softlake, '--strict', '--threads', threads,
                *self.platform, '--', self.args.scenes]

    def of_llvmpipe(self, row, picture):
        """Returns the problems of the picture beside llvmpipe's."""
        name, mean, percent = row[0], float(row[1]), float(row[2])
        want, message = draw([self.args.scenes], name,
                             self.path(name, 'llvmpipe'), LLVMPIPE)
        if want is None:
            return ['llvmpipe: ' + message]
        off, far = difference(want, picture)
        if off <= mean and far <= percent:
            return []
        return ['llvmpipe: mean %.3f (allowed %g), %.2f %% far off (allowed '
                '%g)' % (off, mean, far, percent)]

    def __call__(self, row):
        """Returns (name, problems, checksum)."""
        name = row[0]
        problems, pictures = [], {}
        for threads in self.args.threads.split(','):
            got, message = draw(self.softlake(threads), name,
                                self.path(name, threads), self.extra)
            if got is None:
                problems.append('%s threads: %s' % (threads, message))
                break
            pictures[threads] = got
        if not pictures:
            return name, problems, None
        first = pictures[next(iter(pictures))]
        for threads, picture in pictures.items():
            if picture != first:
                problems.append('%s threads draw another picture' % threads)
        checksum = hashlib.sha256(first).hexdigest()[:16]
        recorded = self.known.get(name) == checksum
        if not (recorded and self.args.recorded):
            problems += self.of_llvmpipe(row, first)
        if not problems and not recorded and not self.args.update \
                and not self.args.zink:
            problems.append('checksum %s, recorded %s' % (
                checksum, self.known.get(name)))
        return name, problems, checksum if not problems else None


def platform_option(args):
    return ['--platform', args.platform] if args.platform else []


class Record:
    """Checksums of the pictures: the common ones, and the different ones of a
    release of the driver or of a GPU. Words after a checksum explain it."""

    HEAD = '# Pictures of the scenes as Softlake draws them: sha256, first ' \
           '64 bits.\n'

    def __init__(self, release, platform):
        self.common = HERE / 'checksums.txt'
        self.path = self.common
        self.shared = self.known = self.read(self.common)
        for name, applies in (('mesa' + release, release != COMMON_RELEASE),
                              (platform, platform)):
            if applies:
                self.path = HERE / ('checksums-%s.txt' % name)
                self.shared = self.known
                self.known = {**self.known, **self.read(self.path)}
        self.known = dict(self.known)

    @staticmethod
    def lines(path):
        text = path.read_text().splitlines() if path.exists() else []
        return [line for line in text if line]

    @classmethod
    def read(cls, path):
        return dict(line.split()[:2] for line in cls.lines(path)
                    if not line.startswith('#'))

    def write(self):
        """Keeps the words of lines that stay."""
        rows = self.known
        if self.path != self.common:
            rows = {name: checksum for name, checksum in rows.items()
                    if self.shared.get(name) != checksum}
        lines = self.lines(self.path)
        head = [line for line in lines if line.startswith('#')]
        words = {line.split()[0]: line.split()[2:] for line in lines
                 if not line.startswith('#')}
        if rows or lines:
            self.path.write_text(
                ('\n'.join(head) + '\n' if head else self.HEAD) + ''.join(
                    ' '.join([name, checksum] + words.get(name, [])) + '\n'
                    for name, checksum in sorted(rows.items())))


def driver(args, extra):
    """(renderer, release of Mesa) of the driver in use, or of none."""
    run = subprocess.run([args.softlake, '--strict', '-j', '0',
                          *platform_option(args), '--',
                          args.scenes, '--driver'], env=environment(extra),
                         stdout=subprocess.PIPE, text=True)
    name, _, version = run.stdout.partition('\n')
    release = re.search(r'Mesa (\d+)', version)
    return name if run.returncode == 0 else '', \
        release[1] if release else 'none'


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('scenes')
    parser.add_argument('softlake')
    parser.add_argument('names', nargs='*', default=[])
    how = parser.add_mutually_exclusive_group()
    how.add_argument('--update', action='store_true')
    how.add_argument('--recorded', action='store_true')
    parser.add_argument('--keep')
    parser.add_argument('--preload')
    parser.add_argument('--zink', action='store_true')
    parser.add_argument('--threads', default='0,1,2,8')
    parser.add_argument('--platform')
    args = parser.parse_intermixed_args()
    if args.zink and (args.update or args.recorded):
        parser.error('--zink has no checksums')
    # A sanitizer's runtime has to come before the library.
    extra = {'LD_PRELOAD': args.preload} if args.preload else {}
    if args.zink:
        extra.update(ZINK)
    renderer, release = driver(args, extra)
    if not re.search('^zink.*Intel' if args.zink else 'Intel', renderer):
        print('Bail out! another driver draws: %s' % renderer)
        return 1
    record = Record(release, args.platform)
    rows = [line.split() for line in subprocess.run(
        [args.scenes, '--list'], stdout=subprocess.PIPE, check=True,
        text=True).stdout.splitlines()]
    if args.names:
        rows = [row for row in rows if row[0] in args.names]
    print('TAP version 13\n1..%d' % len(rows), flush=True)
    failed = 0
    with tempfile.TemporaryDirectory() as temporary:
        directory = pathlib.Path(args.keep or temporary)
        directory.mkdir(parents=True, exist_ok=True)
        judge = Judge(args, directory, record.known, extra)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for number, (name, problems, checksum) in enumerate(
                    pool.map(judge, rows), 1):
                print('%s %d - %s' % ('not ok' if problems else 'ok', number,
                                      name), flush=True)
                for problem in problems:
                    print('# ' + problem.replace('\n', '\n# '), flush=True)
                failed += bool(problems)
                if checksum:
                    record.known[name] = checksum
    if args.update:
        record.write()
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
