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
    """Rows of glbench by name, with their groups and tolerances."""
    return {name: {'name': name, 'group': group,
                   'mean': float(mean_ or mean),
                   'percent': float(percent_ or percent)}
            for name, group, mean_, percent_, _ in records('rows.csv')}


def read_bars():
    """Groups in order: bar for each row, bar for the mean, title."""
    return {group: (float(bar) if bar else None,
                    float(mean) if mean else None, title)
            for group, bar, mean, title in records('bars.csv')}


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


def change(row, old):
    """Speed relative to the build that alternated with this one, or else to an
    earlier run. The latter is relative to llvmpipe if that ran both times,
    because the machine may have changed."""
    if row['samples'].get('old-1', {}).get('cpu'):
        return ratio(row, 'old-1', 'softlake-1', 'cpu')
    if not old:
        return None
    ours = ratio(row, 'llvmpipe-1', 'softlake-1', 'cpu')
    theirs = ratio(old, 'llvmpipe-1', 'softlake-1', 'cpu')
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
    return '-' if value is None else '%.2f' % value


COLUMNS = (('row', -32), ('unit', -13), ('softlake', 9), ('llvmpipe', 9),
           ('ratio', 7), ('+-%', 5), ('bar', 5), ('', -6), ('softlake', 9),
           ('ratio', 7), ('scale', 6), ('MB', 6), ('lp MB', 6), ('/old', 6))


def cells(words, columns):
    return ' '.join('%*s' % (width, word) if width > 0 else
                    '%-*s' % (-width, word)
                    for word, (_, width) in zip(words, columns)).rstrip()


def verdict(value, bar):
    if bar is None or value is None:
        return ''
    return 'met' if value >= bar else 'missed'


def row_line(row, cores, bars, old):
    all_ours, all_theirs = 'softlake-%d' % cores, 'llvmpipe-%d' % cores
    one = ratio(row, 'llvmpipe-1', 'softlake-1', 'cpu')
    paired = ratios(row, 'llvmpipe-1', 'softlake-1', 'cpu') or \
        row['samples'].get('softlake-1', {}).get('cpu')
    bar = bars[row['group']][0]
    memory = [row['samples'].get(c, {}).get('memory_kB')
              for c in ('softlake-1', 'llvmpipe-1')]
    return cells(
        [row['name'], row['unit'], number(speed(row, 'softlake-1', 'cpu')),
         number(speed(row, 'llvmpipe-1', 'cpu')), times(one),
         '%.0f' % spread_percent(paired) if paired else '-',
         '-' if bar is None else '%g' % bar, verdict(one, bar),
         number(speed(row, all_ours, 'wall')),
         times(ratio(row, all_theirs, all_ours, 'wall')),
         times(ratio(row, 'softlake-1', all_ours, 'wall'))] +
        ['%.0f' % (m / 1024) if m else '-' for m in memory] +
        [times(change(row, old))], COLUMNS)


def rows_text(results, cores, old):
    bars = read_bars()
    before = {row['name']: row for row in old['rows']} if old else {}
    lines = ['One core: units per second of CPU time. %d cores: per second. '
             'Ratio: to llvmpipe, median of' % cores,
             'the rounds; +-%%: half its range. Scale: %d cores to one. '
             'MB: peak memory.' % cores,
             cells(['', '', 'one core', '', '', '', '', '',
                    '%d cores' % cores], COLUMNS),
             cells([title for title, _ in COLUMNS], COLUMNS)]
    for row in results:
        lines.append(row_line(row, cores, bars, before.get(row['name'])))
        if row['problem']:
            lines.append('  FAILED: ' + row['problem'])
    return '\n'.join(lines)


GROUP_COLUMNS = (('group', -36), ('rows', 4), ('mean', 7), ('worst', 7),
                 ('bar', 9), ('', -7), ('mean', 7), ('scale', 6),
                 ('/old', 6))


def group_line(title, rows, bar, mean_bar, cores, before):
    one = [ratio(r, 'llvmpipe-1', 'softlake-1', 'cpu') for r in rows]
    one = [v for v in one if v]
    many = [ratio(r, 'llvmpipe-%d' % cores, 'softlake-%d' % cores, 'wall')
            for r in rows]
    scale = [ratio(r, 'softlake-1', 'softlake-%d' % cores, 'wall')
             for r in rows]
    mean, worst = geometric_mean(one), min(one) if one else None
    judged = [verdict(worst, bar), verdict(mean, mean_bar)]
    if any(r['problem'] for r in rows):
        judged = ['missed']
    return cells(
        [title, str(len(rows)), times(mean), times(worst),
         '-' if bar is None else '%g' % bar if mean_bar is None else
         '%g/%g' % (bar, mean_bar),
         'missed' if 'missed' in judged else 'met' if 'met' in judged else '',
         times(geometric_mean(many)), times(geometric_mean(scale)),
         times(geometric_mean([change(r, before.get(r['name']))
                               for r in rows]))], GROUP_COLUMNS)


def groups_text(results, cores, old):
    before = {row['name']: row for row in old['rows']} if old else {}
    lines = ['Groups: ratios to llvmpipe. Each row has to reach the bar, and '
             'draw the right frame.',
             cells(['', '', 'one core', '', '', '', '%d cores' % cores],
                   GROUP_COLUMNS),
             cells([title for title, _ in GROUP_COLUMNS], GROUP_COLUMNS)]
    for group, (bar, mean_bar, title) in read_bars().items():
        rows = [row for row in results if row['group'] == group]
        if rows:
            lines.append(group_line(title, rows, bar, mean_bar, cores, before))
    compared = [r for r in results if r['group'] not in
                ('kernels', 'media', 'media-h264')]
    if compared:
        lines.append(group_line('all', compared, None, None, cores, before))
    return '\n'.join(lines)
