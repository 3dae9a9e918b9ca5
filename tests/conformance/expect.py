"""Expectations in Mesa's format, and what a result means against them.

PREFIX-fails.txt holds `name,Status`; PREFIX-flakes.txt and PREFIX-skips.txt a
regular expression a line that is searched for in the name. A failure that is
not listed and a pass that is listed as a failure are both unexpected.
"""
import pathlib
import re

GOOD = ('Pass', 'Warn')
STATUSES = ('Pass', 'Warn', 'Skip', 'Fail', 'Crash', 'Timeout', 'Missing')


def read_lines(path):
    if not path.exists():
        return []
    return [line.strip() for line in path.read_text().splitlines()
            if line.strip() and not line.startswith('#')]


class Expectations:
    def __init__(self, prefix):
        self.fails = dict(
            line.rsplit(',', 1) for line in
            read_lines(pathlib.Path('%sfails.txt' % prefix)))
        self.flakes = self.patterns('%sflakes.txt' % prefix)
        self.skips = self.patterns('%sskips.txt' % prefix)

    @staticmethod
    def patterns(path):
        return [re.compile(p) for p in read_lines(pathlib.Path(path))]

    def skipped(self, name):
        return any(p.search(name) for p in self.skips)

    def flaky(self, name):
        return any(p.search(name) for p in self.flakes)

    def problem(self, name, status):
        """None, or what is unexpected about this result."""
        if self.flaky(name):
            return None
        want = self.fails.get(name)
        if want is None:
            return None if status in GOOD + ('Skip',) else \
                'unexpected %s' % status
        if status in GOOD:
            return 'unexpected pass: remove it from the list of failures'
        return None if status == want else '%s, expected %s' % (status, want)

    def verdict(self, name, status):
        """The same as one word, as failures.csv has it."""
        if self.problem(name, status) is None:
            return None
        want = self.fails.get(name)
        if want is not None and (status in GOOD or status == 'Skip' or
                                 (want != 'Fail' and status == 'Fail')):
            return 'UnexpectedImprovement(%s)' % status
        return status
