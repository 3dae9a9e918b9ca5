#!/usr/bin/env python3
"""What clang says about every file, without making code of it.

usage: clang_warnings.py BUILD

BUILD is configured for clang, with warnings as errors. Only what is generated
is made there. A whole build takes ten times as long and says no more: clang's
warnings come from its front end. Exit status 1 if a file has any.
"""
import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess
import sys


def generate(build):
    """Makes the headers and sources that others include."""
    listed = subprocess.run(
        ['ninja', '-C', build, '-t', 'targets', 'rule', 'CUSTOM_COMMAND'],
        stdout=subprocess.PIPE, check=True, text=True).stdout.splitlines()
    made = [name for name in listed if name.endswith(('.h', '.c'))]
    subprocess.run(['ninja', '-C', build, *made], check=True,
                   stdout=subprocess.DEVNULL)


def command(entry):
    """The compiler's arguments without what it would write."""
    arguments, kept = iter(shlex.split(entry['command'])), []
    for argument in arguments:
        if argument in ('-o', '-MF', '-MQ'):
            next(arguments)
        elif argument not in ('-MD', '-fcolor-diagnostics'):
            kept.append(argument)
    return kept + ['-fsyntax-only']


def check(entry):
    """Returns what is wrong with one file, or nothing."""
    done = subprocess.run(command(entry), cwd=entry['directory'],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.stdout.decode(errors='replace') if done.returncode else ''


def main():
    build = pathlib.Path(sys.argv[1])
    generate(build)
    entries = json.loads((build / 'compile_commands.json').read_text())
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        wrong = list(filter(None, pool.map(check, entries)))
    print('\n'.join(wrong))
    print('%d files, %d with warnings' % (len(entries), len(wrong)))
    return 1 if wrong or not entries else 0


if __name__ == '__main__':
    sys.exit(main())
