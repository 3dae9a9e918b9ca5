"""What a run leaves behind: results.csv, failures.csv, junit.xml, a table."""
import collections
import csv
import os
import sys
import time
from xml.sax.saxutils import escape, quoteattr

from expect import GOOD, STATUSES

FIELDS = ('name', 'status', 'seconds', 'code', 'platform')
Row = collections.namedtuple('Row', FIELDS)


def read_results(path):
    """{name: Row}; a line that was cut off is dropped."""
    rows = {}
    if os.path.exists(path):
        with open(path, newline='') as lines:
            for row in csv.reader(lines):
                if len(row) == len(FIELDS) and row[1] in STATUSES:
                    rows[row[0]] = Row(*row)
    return rows


class Writer:
    """Appends results as they come, so that a run can be taken up again."""

    def __init__(self, path, resume):
        whole = not resume or not os.path.exists(path)
        if not whole:
            with open(path, 'rb+') as file:
                text = file.read()
                file.truncate(text.rfind(b'\n') + 1)
        self.file = open(path, 'w' if whole else 'a', newline='')
        self.csv = csv.writer(self.file, lineterminator='\n')
        if whole:
            self.csv.writerow(FIELDS)

    def add(self, rows):
        self.csv.writerows(rows)
        self.file.flush()

    def close(self):
        self.file.close()


class Progress:
    """A line that is redrawn on a terminal, and now and then printed to a
    file."""

    def __init__(self, label, total):
        self.label, self.total, self.done = label, total, 0
        self.counts = collections.Counter()
        self.begin = time.monotonic()
        self.next = 0.0
        self.terminal = sys.stderr.isatty()

    @staticmethod
    def clock(seconds):
        minutes, seconds = divmod(int(seconds), 60)
        hours, minutes = divmod(minutes, 60)
        return '%d:%02d:%02d' % (hours, minutes, seconds) if hours else \
            '%d:%02d' % (minutes, seconds)

    def add(self, statuses, amount=1):
        self.done += amount
        self.counts.update(statuses)
        now = time.monotonic()
        if now >= self.next or self.done >= self.total:
            self.next = now + (0.2 if self.terminal else 30)
            self.show(now - self.begin)

    def show(self, spent):
        left = spent * (self.total - self.done) / max(self.done, 1)
        counts = ', '.join('%s: %d' % (s, self.counts[s]) for s in STATUSES
                           if self.counts[s])
        text = '%s %d/%d, %s, Duration: %s, Remaining: %s' % (
            self.label, self.done, self.total, counts or 'nothing yet',
            self.clock(spent), self.clock(left))
        sys.stderr.write('\r\x1b[K' + text if self.terminal else text + '\n')
        sys.stderr.flush()

    def end(self):
        if self.terminal and self.done:
            sys.stderr.write('\n')


def write_failures(path, rows, expected):
    """name,Verdict of what was not expected; returns how many."""
    bad = [(row.name, expected.verdict(row.name, row.status))
           for row in rows.values()]
    bad = [item for item in bad if item[1]]
    with open(path, 'w') as file:
        for name, verdict in sorted(bad):
            file.write('%s,%s\n' % (name, verdict))
    return sorted(bad)


def printable(text):
    return ''.join(c for c in text if c in '\t\n' or ' ' <= c)


def write_junit(path, label, rows, expected, logs):
    """logs: folder with NAME.txt of the tests that failed."""
    cases, failed, skipped, total = [], 0, 0, 0.0
    for row in sorted(rows.values()):
        suite, _, name = row.name.rpartition('@')
        if not suite:
            suite, _, name = row.name.rpartition('.')
        total += float(row.seconds or 0)
        inner = ''
        problem = expected.problem(row.name, row.status)
        if problem:
            failed += 1
            inner = '<failure message=%s>%s</failure>' % (
                quoteattr(problem), escape(printable(
                    read_log(logs, row.name)[-8000:])))
        elif row.status == 'Skip':
            skipped += 1
            inner = '<skipped/>'
        cases.append('<testcase classname=%s name=%s time="%s">%s</testcase>' %
                     (quoteattr(printable(suite)), quoteattr(printable(name)),
                      row.seconds or 0, inner))
    with open(path, 'w') as file:
        file.write('<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n'
                   '<testsuite name=%s tests="%d" failures="%d" skipped="%d" '
                   'time="%.1f">\n%s\n</testsuite>\n</testsuites>\n' % (
                       quoteattr(label), len(cases), failed, skipped, total,
                       '\n'.join(cases)))


def log_path(logs, name):
    return os.path.join(logs, ''.join(
        c if c.isalnum() or c in '.-_' else '_' for c in name)[:200] + '.txt')


def read_log(logs, name):
    try:
        with open(log_path(logs, name), errors='replace') as file:
            return file.read()
    except OSError:
        return ''


def compared(rows, title, is_good):
    """A table of our results against somebody else's, both directions.
    is_good(name): True, False, or None for unknown."""
    names = collections.defaultdict(list)
    for row in rows.values():
        theirs = is_good(row.name)
        if theirs is None or row.status == 'Skip':
            continue
        names[row.status in GOOD, theirs].append(row.name)
    lines = ['%-28s %12s %12s' % (title, 'they pass', 'they fail')]
    for ours, label in ((True, 'we pass'), (False, 'we fail')):
        lines.append('%-28s %12d %12d' % (
            label, len(names[ours, True]), len(names[ours, False])))
    for ours, theirs, label in ((False, True, 'only we fail'),
                                (True, False, 'only we pass')):
        for name in sorted(names[ours, theirs])[:40]:
            lines.append('  %s: %s' % (label, name))
        more = len(names[ours, theirs]) - 40
        if more > 0:
            lines.append('  %s: and %d more' % (label, more))
    return '\n'.join(lines)
