#!/usr/bin/env python3
"""Checks that every path in the documents exists.

usage: test_docs.py SOURCE_ROOT

A path is a word in backquotes with a slash, or the name of a source file. It
is relative to the root, to src/, or to a room; the bare name of a source file
may be anywhere. Words with blanks are commands. TAP.
"""
import fnmatch
import pathlib
import re
import subprocess
import sys

ROOTS = ['', 'src/', 'src/engine/', 'src/engine/raster/']
# Files made by a build or by a user, and names of other projects.
OUTSIDE = ('build', '/', '~', 'demo/', 'http', '.git-blame')


def expand(word):
    """a/{b,c}.h to a/b.h and a/c.h."""
    m = re.search(r'\{([^{}]*)\}', word)
    if not m:
        return [word]
    return [w for part in m[1].split(',')
            for w in expand(word[:m.start()] + part.strip() + word[m.end():])]


def is_path(word):
    if ' ' in word or word.startswith(OUTSIDE) or '=' in word or '(' in word:
        return False
    return bool(re.fullmatch(r'[\w.*{},/+-]+\.(c|h|csv|fields|py|md|txt)',
                             word) or
                re.fullmatch(r'(src|tests|docs|scripts)(/[\w.*{},-]+)+/?',
                             word))


def exists(word, files, folders):
    word = word.rstrip('/')
    for root in ROOTS:
        if root + word in folders or fnmatch.filter(files, root + word):
            return True
    return '/' not in word and bool(fnmatch.filter(files, '*/' + word))


def tracked(root):
    """Files of the repository; none without git, or outside of one."""
    try:
        listed = subprocess.run(['git', '-C', str(root), 'ls-files'],
                                stdout=subprocess.PIPE, text=True)
    except FileNotFoundError:
        return []
    return listed.stdout.split()


def main():
    root = pathlib.Path(sys.argv[1])
    files = tracked(root) or [
        str(p.relative_to(root)) for p in root.rglob('*')
        if p.is_file() and not str(p.relative_to(root)).startswith('build')]
    folders = {str(p) for f in files for p in pathlib.PurePath(f).parents}
    documents = [f for f in files if f.endswith('.md')]
    print('1..%d' % (len(documents) + 1))
    found = 0
    for number, name in enumerate(documents, 1):
        words = re.findall(r'`([^`\n]+)`', (root / name).read_text())
        paths = [p for w in words if is_path(w) for p in expand(w)]
        found += len(paths)
        missing = [p for p in paths if not exists(p, files, folders)]
        print('%s %d - %s' % ('not ok' if missing else 'ok', number, name))
        for path in missing:
            print('# there is no ' + path)
    print('%s %d - documents name paths' % ('ok' if found > 20 else 'not ok',
                                            len(documents) + 1))


main()
