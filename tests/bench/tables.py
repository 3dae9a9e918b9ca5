"""Evaluates the samples of scripts/bench: ratios, tables, verdicts."""
import csv
import math
import pathlib
import statistics

HERE = pathlib.Path(__file__).resolve().parent
PREFIXES = {'G': 1e9, 'M': 1e6, 'k': 1e3}


def records(name):
    with open(HERE / name) as file:
        return list(csv.reader(line for line in file
                               if not line.startswith('#')))


def read_rows(mean, percent):
    """Rows of the clients by name: groups, tolerances, limits."""
    return {name: {'name': name, 'group': group,
                   'mean': float(mean_ or mean),
                   'percent': float(percent_ or percent),
                   'limit': read_limit(limit)}
            for name, group, mean_, percent_, limit, _ in records('rows.csv')}


def read_limit(text):
    """(what of the machine, how much of it a unit takes), or None."""
    name, _, factor = text.partition('*')
    return (name, float(factor or 1)) if name else None


def read_bars():
    """Groups in order: bar for each row, bar for the mean, judge, title."""
    return {group: (float(bar) if bar else None,
                    float(mean) if mean else None, judge, title)
            for group, bar, mean, judge, title in records('bars.csv')}


# ---- numbers of a row ----

def median(row, config, kind):
    """Seconds per unit, or None."""
    values = row['samples'].get(config, {}).get(kind)
    return statistics.median(values) if values else None


def ratios(row, slow, fast, kind):
    """Round by round: how many times as fast as `slow` `fast` is."""
    a = row['samples'].get(slow, {}).get(kind, [])
    b = row['samples'].get(fast, {}).get(kind, [])
    return [x / y for x, y in zip(a, b)]


def ratio(row, slow, fast, kind):
    values = ratios(row, slow, fast, kind)
    return statistics.median(values) if values else None


def spread_percent(values):
    """Half the distance between the extremes, of the median."""
    return 50 * (max(values) - min(values)) / statistics.median(values)


def geometric_mean(values):
    values = [v for v in values if v]
    return math.exp(sum(map(math.log, values)) / len(values)) \
        if values else None


def speed(row, config, kind):
    """In the unit of the row."""
    cost = median(row, config, kind)
    return 1 / (cost * PREFIXES.get(row['unit'][0], 1)) if cost else None


def judged(row, bars):
    """What the row's bar is for."""
    return ratio(row, 'noop-1' if bars[row['group']][2] == 'noop' else
                 'reference-1', 'softlake-1', 'cpu')


def of_limit(row, known, limits):
    """Fraction of what one core of the machine does at most, or None."""
    limit = known.get(row['name'], {}).get('limit')
    cost = median(row, 'softlake-1', 'cpu')
    if not limit or not cost or not limits or not limits.get(limit[0]):
        return None
    return limit[1] / cost / limits[limit[0]]


def change(row, old):
    """Speed relative to the build that alternated with this one, or else to an
    earlier run. The latter is relative to llvmpipe if that ran both times,
    because the machine may have changed."""
    if row['samples'].get('old-1', {}).get('cpu'):
        return ratio(row, 'old-1', 'softlake-1', 'cpu')
    if not old:
        return None
    ours = ratio(row, 'reference-1', 'softlake-1', 'cpu')
    theirs = ratio(old, 'reference-1', 'softlake-1', 'cpu')
    if ours and theirs:
        return ours / theirs
    ours = median(row, 'softlake-1', 'cpu')
    theirs = median(old, 'softlake-1', 'cpu')
    return theirs / ours if ours and theirs else None


# ---- text ----

def number(value, digits=3):
    """The number with that many significant digits, without exponent."""
    if value is None:
        return '-'
    places = max(0, digits - 1 - math.floor(math.log10(abs(value)))) \
        if value else 0
    return '%.*f' % (min(places, 4), value)


def times(value):
    if value is None:
        return '-'
    return '%.2f' % value if value >= 0.1 else number(value, 2)


COLUMNS = (('row', -32), ('unit', -13), ('softlake', 9), ('reference', 9),
           ('ratio', 7), ('+-%', 5), ('of noop', 7), ('limit%', 6),
           ('bar', 5), ('', -6), ('softlake', 9), ('ratio', 7), ('scale', 6),
           ('MB', 6), ('ref MB', 6), ('/old', 6))


def cells(words, columns):
    return ' '.join('%*s' % (width, word) if width > 0 else
                    '%-*s' % (-width, word)
                    for word, (_, width) in zip(words, columns)).rstrip()


def verdict(value, bar):
    if bar is None or value is None:
        return ''
    return 'met' if value >= bar else 'missed'


class Table:
    """What the lines of a run share."""

    def __init__(self, record, old=None):
        self.rows, self.cores = record['rows'], record['cores']
        self.limits = record.get('limits')
        self.isa = record.get('isa', '')
        self.bars = read_bars()
        self.known = read_rows(0, 0)
        self.before = {row['name']: row for row in old['rows']} if old else {}
        self.ours = 'softlake-%d' % self.cores
        self.theirs = 'reference-%d' % self.cores

    def change(self, row):
        return change(row, self.before.get(row['name']))

    def share(self, row):
        """Percent of the limit."""
        found = of_limit(row, self.known, self.limits)
        return '-' if found is None else '%.0f' % (100 * found)


def row_line(table, row):
    one = ratio(row, 'reference-1', 'softlake-1', 'cpu')
    paired = ratios(row, 'reference-1', 'softlake-1', 'cpu') or \
        row['samples'].get('softlake-1', {}).get('cpu')
    bar = table.bars[row['group']][0]
    memory = [row['samples'].get(c, {}).get('memory_kB')
              for c in ('softlake-1', 'reference-1')]
    return cells(
        [row['name'], row['unit'], number(speed(row, 'softlake-1', 'cpu')),
         number(speed(row, 'reference-1', 'cpu')), times(one),
         '%.0f' % spread_percent(paired) if paired else '-',
         times(ratio(row, 'noop-1', 'softlake-1', 'cpu')), table.share(row),
         '-' if bar is None else '%g' % bar,
         verdict(judged(row, table.bars), bar),
         number(speed(row, table.ours, 'wall')),
         times(ratio(row, table.theirs, table.ours, 'wall')),
         times(ratio(row, 'softlake-1', table.ours, 'wall'))] +
        ['%.0f' % (m / 1024) if m else '-' for m in memory] +
        [times(table.change(row))], COLUMNS)


def drivers(rows):
    """What the references call themselves, each once."""
    found = {}
    for row in rows:
        for name, text in row.get('drivers', {}).items():
            if name == 'reference-1':
                found[text] = found.get(text, 0) + 1
    return ['%s (%d rows)' % item for item in sorted(found.items())]


def rows_text(record, old=None):
    table = Table(record, old)
    cores = table.cores
    lines = ['One core: units per second of CPU time. %d cores: per second. '
             'Ratio: to the reference, median' % cores,
             'of the rounds; +-%: half its range. Of noop: share of the speed '
             'of the stock driver whose work',
             'is not executed. Limit: percent of what the core can do. Scale: '
             '%d cores to one. MB: peak.' % cores]
    lines += ['reference: ' + text for text in drivers(table.rows)]
    lines += [cells(['', '', 'one core', '', '', '', '', '', '', '',
                     '%d cores' % cores], COLUMNS),
              cells([title for title, _ in COLUMNS], COLUMNS)]
    for row in table.rows:
        lines.append(row_line(table, row))
        if row['problem']:
            lines.append('  FAILED: ' + row['problem'])
    return '\n'.join(lines)


# ---- groups ----

GROUP_COLUMNS = (('group', -36), ('rows', 4), ('mean', 7), ('worst', 7),
                 ('of noop', 7), ('limit%', 7), ('bar', 9), ('', -7),
                 ('mean', 7), ('scale', 6), ('/old', 6))


def group_verdict(table, rows, bar, mean_bar):
    """missed, met, or nothing if there is no bar. A group without a judge of
    its own leaves out rows that noop judges."""
    values = [v for v in (judged(r, table.bars) for r in rows) if v]
    words = [verdict(min(values), bar), verdict(geometric_mean(values),
                                                mean_bar)] if values else []
    if any(r['problem'] for r in rows):
        return 'missed'
    return 'missed' if 'missed' in words else 'met' if 'met' in words else ''


def group_cells(table, title, rows, bar, mean_bar, of_all=False):
    one = [(ratio(r, 'reference-1', 'softlake-1', 'cpu'), r) for r in rows]
    one = [(v, r) for v, r in one if v]
    by_reference = [(v, r) for v, r in one
                    if not of_all or table.bars[r['group']][2] != 'noop']
    worst = min(by_reference, key=lambda pair: pair[0], default=(None, None))
    mean = geometric_mean([v for v, _ in one])
    many = [ratio(r, table.theirs, table.ours, 'wall') for r in rows]
    scale = [ratio(r, 'softlake-1', table.ours, 'wall') for r in rows]
    noop = [ratio(r, 'noop-1', 'softlake-1', 'cpu') for r in rows]
    limit = [of_limit(r, table.known, table.limits) for r in rows]
    limit = geometric_mean(limit)
    judgement = group_verdict(table, rows, bar, mean_bar) if not of_all else \
        'missed' if 'missed' in (verdict(worst[0], bar),
                                 verdict(mean, mean_bar)) else 'met'
    return worst[1], [
        title, str(len(rows)), times(mean), times(worst[0]),
        times(geometric_mean(noop)),
        '-' if limit is None else '%.0f' % (100 * limit),
        '-' if bar is None else '%g' % bar if mean_bar is None else
        '%g/%g' % (bar, mean_bar), judgement,
        times(geometric_mean(many)), times(geometric_mean(scale)),
        times(geometric_mean([table.change(r) for r in rows]))]


# Their ratios say nothing about the others'.
APART = ('kernels', 'media', 'media-h264', 'discard')


def all_groups(table):
    """(worst row, cells) of each group that has rows, and of all."""
    for group, (bar, mean_bar, _, title) in table.bars.items():
        rows = [row for row in table.rows if row['group'] == group]
        if rows:
            yield group_cells(table, title, rows, bar, mean_bar)
    compared = [r for r in table.rows if r['group'] not in APART]
    if compared:
        bar, mean_bar, _, title = table.bars[
            'all-avx2' if table.isa == 'avx2' else 'all']
        yield group_cells(table, title, compared, bar, mean_bar, of_all=True)


def groups_text(record, old=None):
    table = Table(record, old)
    lines = ['Groups: ratios to the reference. Each row has to reach the bar, '
             'and draw the right frame.',
             cells(['', '', 'one core', '', '', '', '', '',
                    '%d cores' % table.cores], GROUP_COLUMNS),
             cells([title for title, _ in GROUP_COLUMNS], GROUP_COLUMNS)]
    for _, found in all_groups(table):
        lines.append(cells(found, GROUP_COLUMNS))
    return '\n'.join(lines)


def markdown(record):
    """The table of docs/performance.md."""
    table = Table(record)
    lines = ['| group | rows | mean | its worst | of noop | of the limit, % | '
             'bar | |', '|---|---|---|---|---|---|---|---|']
    for worst, (title, rows, mean, least, noop, limit, bar, word, *_) in \
            all_groups(table):
        name = ' (%s)' % worst['name'] if worst and rows != '1' else ''
        lines.append('| ' + ' | '.join([title, rows, mean, least + name, noop,
                                        limit, bar, word]) + ' |')
    return '\n'.join(lines)
