#!/usr/bin/env python3
"""Draws every scene of Vulkan on lavapipe and on Softlake, and judges them.

usage: run_vk_scenes.py VKSCENES SOFTLAKE [--update] [--keep DIR]
                        [--threads N,N...] [--driver intel|intel_hasvk]
                        [--platform NAME] [--no-checksums] [NAME...]

A scene passes if Softlake's picture agrees with lavapipe's within the scene's
tolerance, is the same byte for byte with 0, 1, 2 and 8 threads, has the
checksum that vk_checksums.txt records for it, and if neither the scene's own
check nor the strict launcher had a complaint. The scene alone judges features
that lavapipe lacks. A feature that the driver under test lacks is a failure,
unless --platform chooses another GPU. Output is TAP. --update rewrites
vk_checksums.txt from the scenes that passed; review the difference before
committing.
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

import run_scenes

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'vk'))
import icd  # noqa: E402

RECORD = pathlib.Path(__file__).with_name('vk_checksums.txt')
HEAD = '# Pictures of the scenes of Vulkan as Softlake draws them: sha256, ' \
       'first 64 bits.\n'
UNSUPPORTED = 'exit status 77:'


def only(driver):
    found = icd.only(driver)
    if not found:
        raise SystemExit('Bail out! no %s_icd*.json in %s' % (
            driver, ' '.join(icd.FOLDERS)))
    return found


class Judge:
    def __init__(self, args, directory, known):
        self.args, self.directory, self.known = args, directory, known
        # OpenGL beside lavapipe is llvmpipe.
        self.reference = dict(run_scenes.LLVMPIPE, **only('lvp'))
        self.own = only(args.driver)
        self.platform = ['--platform', args.platform] if args.platform else []

    def draw(self, command, name, kind, extra):
        path = self.directory / ('%s.%s.raw' % (name, kind))
        return run_scenes.draw(command, name, str(path), extra)

    def softlake(self, name):
        """({threads: picture}, problems)"""
        pictures, problems = {}, []
        for threads in self.args.threads.split(','):
            command = [self.args.softlake, '--strict', '--threads', threads,
                       *self.platform, '--', self.args.scenes]
            got, message = self.draw(command, name, threads, self.own)
            if got is None:
                problems.append('%s threads: %s' % (threads, message))
                break
            pictures[threads] = got
        first = next(iter(pictures.values()), None)
        problems += ['%s threads draw another picture' % threads
                     for threads, picture in pictures.items()
                     if picture != first]
        return first, problems

    def compare(self, row, picture):
        """(problems, remarks) of the comparison with lavapipe's picture."""
        name, mean, percent, without = row
        if without:
            return [], ['lavapipe is not asked: ' + without]
        want, message = self.draw([self.args.scenes], name, 'lavapipe',
                                  self.reference)
        if want is None and message.startswith(UNSUPPORTED):
            return [], ['lavapipe does not offer it']
        if want is None:
            return ['lavapipe: ' + message], []
        off, far = run_scenes.difference(want, picture)
        if off > mean or far > percent:
            return ['lavapipe: mean %.3f (allowed %g), %.2f %% far off '
                    '(allowed %g)' % (off, mean, far, percent)], []
        return [], []

    def __call__(self, row):
        """(name, problems, remarks, checksum); no checksum: skipped."""
        picture, problems = self.softlake(row[0])
        if self.platform and problems and UNSUPPORTED in problems[0]:
            return row[0], [], ['this GPU does not offer it'], None
        if picture is None:
            return row[0], problems, [], None
        more, remarks = self.compare(row, picture)
        problems += more
        checksum = hashlib.sha256(picture).hexdigest()[:16]
        known = self.known.get(row[0])
        if not problems and known != checksum and not self.args.update \
                and not self.args.no_checksums:
            problems.append('checksum %s, recorded %s' % (checksum, known))
        return row[0], problems, remarks, checksum


def scenes_of(args):
    rows = []
    for line in subprocess.run([args.scenes, '--list'], check=True, text=True,
                               stdout=subprocess.PIPE).stdout.splitlines():
        name, mean, percent, without = re.match(
            r'(\S+) (\S+) (\S+) (.*)', line).groups()
        if not args.names or name in args.names:
            rows.append((name, float(mean), float(percent), without))
    return rows


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('scenes')
    parser.add_argument('softlake')
    parser.add_argument('names', nargs='*', default=[])
    parser.add_argument('--update', action='store_true')
    parser.add_argument('--keep')
    parser.add_argument('--threads', default='0,1,2,8')
    parser.add_argument('--driver', default='intel',
                        choices=('intel', 'intel_hasvk'))
    parser.add_argument('--platform')
    parser.add_argument('--no-checksums', action='store_true')
    return parser.parse_intermixed_args()


def main():
    args = arguments()
    known = dict(line.split() for line in RECORD.read_text().splitlines()
                 if not line.startswith('#')) if RECORD.exists() else {}
    rows = scenes_of(args)
    print('TAP version 13\n1..%d' % len(rows), flush=True)
    failed = 0
    with tempfile.TemporaryDirectory() as temporary:
        directory = pathlib.Path(args.keep or temporary)
        directory.mkdir(parents=True, exist_ok=True)
        judge = Judge(args, directory, known)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for number, (name, problems, remarks, checksum) in enumerate(
                    pool.map(judge, rows), 1):
                skipped = not problems and not checksum
                print('%s %d - %s%s' % (
                    'not ok' if problems else 'ok', number, name,
                    ' # SKIP ' + remarks[0] if skipped else ''), flush=True)
                for text in problems + remarks * (not skipped):
                    print('# ' + text.replace('\n', '\n# '), flush=True)
                failed += bool(problems)
                if checksum and not problems:
                    known[name] = checksum
    if args.update:
        RECORD.write_text(HEAD + ''.join(
            '%s %s\n' % item for item in sorted(known.items())))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
