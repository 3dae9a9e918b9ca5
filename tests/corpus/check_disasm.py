#!/usr/bin/python3
"""Compares `softlake disasm` with Intel's iga64 on whole kernels.

    check_disasm.py SOFTLAKE CORPUS_DIR

CORPUS_DIR is what build.py writes. Every line of every kernel, labels and the
description of messages included, must be the same after white space is made
single; and no instruction may be refused that iga64 can decode. Prints TAP,
one test per generation and form of branch targets, and one of rare
instructions, which are assembled from rare.asm.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

GENERATIONS = {'bdw': '8', 'skl': '9'}
LABEL_STEP = 20
HERE = pathlib.Path(__file__).resolve().parent


def lines(text):
    return [' '.join(line.split()) for line in text.splitlines()]


def run(*args):
    done = subprocess.run(args, capture_output=True, text=True,
                          errors='replace', check=False)
    return done.stdout, done.stderr


class Comparison:
    def __init__(self, softlake, gen, numeric):
        self.softlake, self.gen, self.numeric = softlake, gen, numeric
        self.count = self.unknown = 0
        self.differences = []

    def compare(self, path):
        """One raw kernel, or several one behind the other."""
        numeric = ['-n'] if self.numeric else []
        theirs, _ = run('iga64', '-d', f'-p={self.gen}', '--output-on-fail',
                        *numeric, path)
        ours, _ = run(self.softlake, 'disasm', '-c', f'--gen={self.gen}',
                      *numeric, path)
        theirs = lines(theirs)
        ours = lines(re.sub(r'^\[[0-9a-f]+\] ', '', ours, flags=re.M))
        if len(ours) != len(theirs):
            self.differences.append(
                f'{path}: {len(theirs)} lines, ours {len(ours)}')
        for their, our in zip(theirs, ours):
            self.count += 1
            # What neither can decode: iga64 says why in a comment.
            if their.startswith('illegal') and our.startswith('(illegal:'):
                self.unknown += 1
            elif their != our:
                self.differences.append(f'{path}\n#  iga64 {their}\n'
                                        f'#  ours  {our}')


def report(number, name, comparison):
    c = comparison
    fine = c.count and not c.differences
    print(f'{"ok" if fine else "not ok"} {number} - {name}: {c.count} lines, '
          f'{len(c.differences)} differ, {c.unknown} are unknown to both',
          flush=True)
    for difference in c.differences[:20]:
        print(f'# {difference}')
    return fine


def corpus(softlake, kernels, gen, numeric):
    """All in one file; labels need a file for each, so some kernels do."""
    c = Comparison(softlake, gen, numeric)
    if not numeric:
        for kernel in kernels[::LABEL_STEP]:
            c.compare(str(kernel))
        return c
    with tempfile.NamedTemporaryFile(suffix='.bin') as file:
        for kernel in kernels:
            file.write(kernel.read_bytes())
        file.flush()
        c.compare(file.name)
    return c


def rare(softlake, gen):
    c = Comparison(softlake, gen, True)
    text = (HERE / 'rare.asm').read_text(encoding='ascii')
    if gen == '8':
        text = ''.join(line + '\n' for line in text.splitlines()
                       if 'sends' not in line)
    with tempfile.TemporaryDirectory() as folder:
        source, binary = f'{folder}/rare.asm', f'{folder}/rare.bin'
        pathlib.Path(source).write_text(text, encoding='ascii')
        _, errors = run('iga64', '-a', f'-p={gen}', source, '-o', binary)
        if os.path.exists(binary):
            c.compare(binary)
        else:
            c.differences.append(errors.replace('\n', '\n# '))
    return c


def main():
    softlake, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    tests = []
    for device, gen in GENERATIONS.items():
        kernels = sorted((folder / device).rglob('*.kernels/*.bin'))
        for numeric in (True, False):
            form = 'numeric' if numeric else 'labels'
            shown = kernels if numeric else kernels[::LABEL_STEP]
            tests.append((f'gen{gen} {len(shown)} kernels, {form}',
                          lambda k=kernels, g=gen, n=numeric:
                          corpus(softlake, k, g, n)))
        tests.append((f'gen{gen} rare instructions',
                      lambda g=gen: rare(softlake, g)))
    if not any(folder.glob('*/**/*.kernels')):
        print('1..0 # SKIP no corpus: run build.py')
        return 0
    print(f'1..{len(tests)}')
    fine = [report(n, name, test()) for n, (name, test) in enumerate(tests, 1)]
    return 0 if all(fine) else 1


if __name__ == '__main__':
    sys.exit(main())
