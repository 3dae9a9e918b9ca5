#!/usr/bin/env python3
"""Whether scripts/fuzz finds what is planted, counts it and keeps the input.

usage: test_fuzz.py SCRIPT BUILD

The faults of fuzz_planted.c, in the build of the unit tests. TAP.
"""
import importlib.machinery
import importlib.util
import pathlib
import sys
import tempfile

SECONDS = 4


def load(path):
    """scripts/fuzz as a module: it has no suffix."""
    loader = importlib.machinery.SourceFileLoader('fuzz', path)
    module = importlib.util.module_from_spec(
        importlib.util.spec_from_loader('fuzz', loader))
    loader.exec_module(module)
    return module


def main():
    fuzz, build = load(sys.argv[1]), pathlib.Path(sys.argv[2])
    print('1..4')
    for number, (fault, kind) in enumerate(
            [('none', None), ('abort', 'crashes'), ('segv', 'crashes'),
             ('hang', 'hangs')], 1):
        fuzz.MAX_FOUND = 1
        fuzz.TARGETS['planted'] = ('fuzz_planted', 'corpus_planted', 1, [],
                                   {'FUZZ_PLANTED': fault})
        target = fuzz.Target('planted', build, 1)
        with tempfile.TemporaryDirectory() as folder:
            target.found = pathlib.Path(folder) / 'found'
            target.learned = pathlib.Path(folder) / 'learned'
            target.run(SECONDS)
            inputs = list(target.found.glob('crash-*'))
            good = target.bad() == (kind is not None)
            if kind:
                good &= getattr(target, kind) == 1 and len(inputs) == 1
                # The input alone does it again.
                good &= bool(inputs) and inputs[0].read_bytes()[1] == 3
            else:
                good &= target.done > 1000 and target.inside > target.done
        print('%s %d - planted: %s' % ('ok' if good else 'not ok', number,
                                       fault))
        if not good:
            print('# %d executions, %d crashes, %d hangs, %s' % (
                target.done, target.crashes, target.hangs, inputs))


main()
