#!/usr/bin/env python3
"""Draws every scene on llvmpipe and on Softlake, and judges the pictures.

usage: run_scenes.py SCENES SOFTLAKE [--update] [--keep DIR] [--preload LIB]
                     [--threads N,N...] [--zink] [NAME...]

A scene passes if Softlake's picture agrees with llvmpipe's within the scene's
tolerance, is the same byte for byte with 0, 1, 2 and 8 threads, has the
checksum that checksums.txt records for it, and if the strict launcher had no
complaint. Output is TAP. --update rewrites checksums.txt from what was drawn
by scenes that agree with llvmpipe; review the difference before committing.
--zink draws on Intel's Vulkan driver (anv), through Mesa's GL on Vulkan. Its
pictures have no checksums.
"""
import argparse
import concurrent.futures
import hashlib
import os
import pathlib
import subprocess
import sys
import tempfile

LLVMPIPE = {'LIBGL_ALWAYS_SOFTWARE': '1', 'GALLIUM_DRIVER': 'llvmpipe',
            'LP_NUM_THREADS': '0',
            # Its shortcuts in texture filtering are not what is compared.
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
    def __init__(self, args, directory, known):
        self.args, self.directory, self.known = args, directory, known
        # A sanitizer's runtime has to come before the library.
        self.extra = {'LD_PRELOAD': args.preload} if args.preload else {}
        if args.zink:
            self.extra.update(ZINK)

    def path(self, name, kind):
        return str(self.directory / ('%s.%s.raw' % (name, kind)))

    def softlake(self, threads):
        return [self.args.softlake, '--strict', '--threads', threads, '--',
                self.args.scenes]

    def __call__(self, row):
        """Returns (name, problems, checksum)."""
        name, mean, percent = row[0], float(row[1]), float(row[2])
        problems, pictures = [], {}
        want, message = draw([self.args.scenes], name,
                             self.path(name, 'llvmpipe'), LLVMPIPE)
        if want is None:
            return name, ['llvmpipe: ' + message], None
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
        off, far = difference(want, first)
        if off > mean or far > percent:
            problems.append('llvmpipe: mean %.3f (allowed %g), %.2f %% far '
                            'off (allowed %g)' % (off, mean, far, percent))
        checksum = hashlib.sha256(first).hexdigest()[:16]
        if not problems and self.known.get(name) != checksum \
                and not self.args.update and not self.args.zink:
            problems.append('checksum %s, recorded %s' % (
                checksum, self.known.get(name)))
        return name, problems, checksum if not problems else None


def read_checksums(path):
    known = {}
    if path.exists():
        for line in path.read_text().splitlines():
            if line and not line.startswith('#'):
                name, checksum = line.split()
                known[name] = checksum
    return known


def is_zink_on_anv(args):
    """Whether what --zink asks for is what draws."""
    run = subprocess.run([args.softlake, '--strict', '-j', '0', '--',
                          args.scenes, '--renderer'], env=environment(ZINK),
                         stdout=subprocess.PIPE, text=True)
    return run.returncode == 0 and run.stdout.startswith('zink (Intel(R) HD')


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('scenes')
    parser.add_argument('softlake')
    parser.add_argument('names', nargs='*', default=[])
    parser.add_argument('--update', action='store_true')
    parser.add_argument('--keep')
    parser.add_argument('--preload')
    parser.add_argument('--zink', action='store_true')
    parser.add_argument('--threads', default='0,1,2,8')
    args = parser.parse_intermixed_args()
    if args.update and args.zink:
        parser.error('--zink has no checksums')
    if args.zink and not is_zink_on_anv(args):
        print('Bail out! not zink on anv')
        return 1
    record = pathlib.Path(__file__).with_name('checksums.txt')
    known = read_checksums(record)
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
        judge = Judge(args, directory, known)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for number, (name, problems, checksum) in enumerate(
                    pool.map(judge, rows), 1):
                print('%s %d - %s' % ('not ok' if problems else 'ok', number,
                                      name), flush=True)
                for problem in problems:
                    print('# ' + problem.replace('\n', '\n# '), flush=True)
                failed += bool(problems)
                if checksum:
                    known[name] = checksum
    if args.update:
        head = '# Pictures of the scenes as Softlake draws them: ' \
               'sha256, first 64 bits.\n'
        record.write_text(head + ''.join(
            '%s %s\n' % item for item in sorted(known.items())))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
