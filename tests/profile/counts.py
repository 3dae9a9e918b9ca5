"""Checks of a profile.json that need no other profile: equations that exact
counts obey (conservation), and the differences between two profiles.

    counts.py PROFILE.json      prints what does not hold; status 1 if anything
"""
import collections
import json
import re
import sys

STAGES = {'vs': 'VS threads run', 'hs': 'HS threads run',
          'ds': 'DS threads run', 'gs': 'GS threads run',
          'fs': 'PS threads run', 'cs': 'compute threads run'}
BRANCHES = {'jmpi', 'brd', 'brc', 'if', 'else', 'endif', 'while', 'break',
            'cont', 'halt', 'call', 'calla', 'ret', 'goto', 'join'}
INDIRECT = {'brd', 'brc', 'calla'}


def opcode(insn):
    found = re.match(r'\s*(?:\([^)]*\)\s*)?([a-z]\w*)', insn['text'])
    return found.group(1) if found else ''


def is_predicated(insn):
    return bool(re.match(r'\s*\([^)]*f\d', insn['text']))


def ends_thread(insn):
    return bool(re.search(r'\bEOT\b', insn['text']))


def labels(insn):
    return [int(n) for n in re.findall(r'\bL(\d+)\b', insn['text'])] \
        if opcode(insn) in BRANCHES else []


class Block:
    """Instructions that only run one after the other."""

    def __init__(self, insns):
        self.insns = insns
        self.count = insns[-1]['count']
        self.targets = set()
        self.last = insns[-1]


def blocks_of(insns):
    begins = {insns[0]['ip']}
    for i, insn in enumerate(insns):
        begins.update(labels(insn))
        if i + 1 < len(insns) and (opcode(insn) in BRANCHES or
                                   ends_thread(insn)):
            begins.add(insns[i + 1]['ip'])
    found, current = {}, []
    for insn in insns:
        if insn['ip'] in begins and current:
            found[current[0]['ip']] = Block(current)
            current = []
        current.append(insn)
    found[current[0]['ip']] = Block(current)
    return found


def connect(blocks):
    """Finds where each block may go; False if that is not in the code."""
    order = sorted(blocks)
    after = dict(zip(order, order[1:]))
    returns = [after[b] for b in order if opcode(blocks[b].last) == 'call' and
               b in after]
    for at, block in blocks.items():
        last = block.last
        what = opcode(last)
        if ends_thread(last) or not block.count:
            continue
        block.targets.update(t for t in labels(last) if t in blocks)
        if what in INDIRECT or what == 'jmpi' and not labels(last):
            return False
        if what == 'ret':
            block.targets.update(returns)
        jumps = what == 'jmpi' and not is_predicated(last) or \
            what in ('call', 'ret') and not is_predicated(last)
        if not jumps and at in after:
            block.targets.add(after[at])
    return True


def settle(supply, demand, edges):
    """Gives all that a node has to its only edge, as long as there is one.
    None, or what cannot be."""
    into = collections.defaultdict(set)
    for a, targets in edges.items():
        for b in targets:
            into[b].add(a)
    todo = [(a, None) for a in supply] + [(None, b) for b in demand]
    while todo:
        a, b = todo.pop()
        if a is not None and len(edges[a]) == 1:
            b = next(iter(edges[a]))
            n = supply[a]
        elif b is not None and len(into[b]) == 1:
            a = next(iter(into[b]))
            n = demand[b]
        else:
            left = supply[a] if a is not None else demand[b]
            none = not (edges[a] if a is not None else into[b])
            if none and left:
                return 'out of' if a is not None else 'into', \
                    a if a is not None else b, left
            continue
        if n > supply[a] or n > demand[b]:
            return 'from', a, b, n, supply[a], demand[b]
        supply[a] -= n
        demand[b] -= n
        edges[a].discard(b)
        into[b].discard(a)
        todo += [(a, None), (None, b)]
    return None


def augment(supply, demand, edges, flow):
    """Moves as much as one path allows; False without a path."""
    begin = [a for a in supply if supply[a]]
    came = {('out', a): None for a in begin}
    todo = collections.deque(('out', a) for a in begin)
    while todo:
        side, node = todo.popleft()
        if side == 'in' and demand[node]:
            path, n, at = [], demand[node], ('in', node)
            while came[at]:
                path.append((came[at], at))
                at = came[at]
            n = min([n, supply[at[1]]] +
                    [flow[b[1], a[1]] for a, b in path if a[0] == 'in'])
            for a, b in path:
                if a[0] == 'out':
                    flow[a[1], b[1]] += n
                else:
                    flow[b[1], a[1]] -= n
            supply[at[1]] -= n
            demand[node] -= n
            return True
        near = [('in', b) for b in edges[node]] if side == 'out' else \
            [('out', a) for a in edges if flow.get((a, node))]
        for to in near:
            if to not in came:
                came[to] = side, node
                todo.append(to)
    return False


def flow_problem(blocks, threads):
    """None if runs of the blocks can follow each other: as many go into each
    as run, and as many go out of each. Threads begin at the first."""
    entry = min(blocks)
    supply = {a: 0 if ends_thread(b.last) else b.count
              for a, b in blocks.items()}
    demand = {a: b.count for a, b in blocks.items()}
    demand[entry] -= threads
    if demand[entry] < 0:
        return 'fewer entries than threads', demand[entry]
    edges = {a: set(b.targets) for a, b in blocks.items()}
    problem = settle(supply, demand, edges)
    if problem:
        return problem
    flow = collections.defaultdict(int)
    while augment(supply, demand, edges, flow):
        pass
    left = [a for a in supply if supply[a]] + [b for b in demand if demand[b]]
    return ('flow', left) if left else None


def jump_problem(blocks, at, branch):
    """Of branches whose way the counters tell: as many runs as go on must be
    no more than those of the block that they go to."""
    insn = blocks[at].last
    what = opcode(insn)
    if what not in ('while', 'jmpi') or insn['ip'] != branch['ip']:
        return None
    taken = branch['all'] + branch['divergent']
    target = blocks.get(labels(insn)[0]) if labels(insn) else None
    return (what, taken, target.count) \
        if target and taken > target.count else None


def channels(insn):
    """As (16|M0)."""
    found = re.search(r'\((\d+\|M\d+)\)', insn['text'])
    return found and found.group(1)


def lanes_problems(kernel, blocks):
    for insn in kernel['insns']:
        fixed = insn.get('fixed_lanes')
        if not 0 <= insn['lanes'] <= insn['count'] * insn['exec_size'] or \
                fixed and insn['lanes'] != fixed * insn['count']:
            yield 'lanes', insn
    for b in kernel['branches']:
        if b['all'] + b['none'] + b['divergent'] != b['count'] or \
                not 0 <= b['taken_lanes'] <= b['active_lanes'] or \
                b['divergent'] > b['taken_lanes']:
            yield 'branch', b
    for block in blocks.values():
        # The mask changes only between blocks.
        seen = {}
        for insn in block.insns:
            if 'fixed_lanes' in insn or opcode(insn) in BRANCHES:
                continue
            lanes = seen.setdefault(channels(insn), insn['lanes'])
            if lanes != insn['lanes']:
                yield 'lanes of a block', insn, lanes
    of = {b.last['ip']: a for a, b in blocks.items()}
    for b in kernel['branches']:
        if b['ip'] in of:
            problem = jump_problem(blocks, of[b['ip']], b)
            if problem:
                yield problem


def histogram_problems(k):
    """Of lane_histograms: their executions are those of the instructions, and
    the lanes of these are the lanes of the kernel."""
    insns = {i['ip']: i for i in k['insns']}
    of = {'count': 0, 'lanes': 0}
    for h in k['lane_histograms']:
        bins = {int(n): c for n, c in h['active_lanes'].items()}
        first = insns[h['ip']]
        lanes = sum(n * c for n, c in bins.items())
        of['count'] += h['insns'] * h['count']
        of['lanes'] += h['insns'] * lanes
        if max(bins) > h['exec_size'] or sum(bins.values()) != h['count'] or \
                (first['count'], first['lanes']) != (h['count'], lanes) or \
                channels(first) not in (None, '%d|M%d' % (  # None: NOP
                    h['exec_size'], h['first_channel'])):
            yield 'lane histogram', h, first
    heed = [i for i in k['insns'] if 'fixed_lanes' not in i]
    for key, n in of.items():
        if n != sum(i[key] for i in heed):
            yield 'lane histograms: ' + key, n


def kernel_problems(k):
    if not k['insn']:
        return
    insns = k['insns']
    if k['insn'] != sum(i['count'] for i in insns):
        yield 'sum', k['insn']
    ended = sum(i['count'] for i in insns if ends_thread(i))
    if k['threads'] != ended:
        yield 'threads, ends of threads', k['threads'], ended
    sends = sum(i['count'] for i in insns
                if re.match(r'sends?c?$', opcode(i)))
    if sends != sum(m['count'] for m in k['messages']):
        yield 'messages', sends
    blocks = blocks_of(insns)
    for block in blocks.values():
        if {i['count'] for i in block.insns} != {block.count}:
            yield 'counts of a block', block.insns[0]
    if connect(blocks):
        problem = flow_problem(blocks, ended)
        if problem:
            yield problem
    if 'branches' in k:
        yield from lanes_problems(k, blocks)
        yield from histogram_problems(k)


def statistic(text, what):
    return sum(map(int, re.findall(r'(\d+) %s\b' % what, text)))


def statistics_problems(p, text):
    """text: what --stats printed."""
    insns = statistic(text, 'EU instructions executed')
    if p['totals']['insn'] != insns:
        yield '--stats: instructions', p['totals']['insn'], insns
    sends = sum(m['count'] for k in p['kernels'] for m in k['messages'])
    if sends != statistic(text, 'EU messages executed'):
        yield '--stats: messages', sends
    for stage, what in STAGES.items():
        threads = sum(k['threads'] for k in p['kernels']
                      if k.get('stage') == stage)
        if threads != statistic(text, what):
            yield '--stats: ' + what, threads, statistic(text, what)


def problems(p, stats=None):
    """A list of what does not hold; empty if the counts can be right."""
    found = []
    if p['totals']['insn'] != sum(k['insn'] for k in p['kernels']):
        found.append(('total', p['totals']['insn']))
    if p['totals']['not_counted']:
        found.append(('kernels without counters', p['totals']['not_counted']))
    for k in p['kernels']:
        found += [(k['name'],) + why for why in kernel_problems(k)]
    if stats is not None:
        found += statistics_problems(p, stats)
    return found


def entry_lanes(k):
    """Lanes of the first instruction that heeds the execution mask."""
    return next((i['lanes'] for i in k['insns'] if 'fixed_lanes' not in i), 0)


def dispatched_lanes(k):
    """Lanes of all threads, by the instructions of the first block that heed
    the mask; None if they do not show all channels."""
    first = blocks_of(k['insns'])[k['insns'][0]['ip']]
    heed = [i for i in k['insns'] if 'fixed_lanes' not in i and channels(i)]
    width = max((sum(map(int, re.findall(r'\d+', channels(i)))) for i in heed),
                default=0)
    of = {channels(i): i for i in first.insns if i in heed}
    whole = [i['lanes'] for i in of.values() if i['exec_size'] == width]
    if whole:
        return whole[0]
    halves = [of.get('%d|M%d' % (width // 2, at)) for at in (0, width // 2)]
    return sum(i['lanes'] for i in halves) if width and all(halves) else None


def table(p):
    return {(k['id'], k.get('stage'), k.get('simd')):
            ({i['ip']: (i['count'], i.get('lanes')) for i in k['insns']},
             k.get('branches'), k.get('sends'), k.get('lane_histograms'))
            for k in p['kernels'] if k['insn']}


def differences(a, b):
    """Lines about instructions and branches whose counts differ."""
    ta, tb = table(a), table(b)
    for key in sorted(set(ta) | set(tb), key=str):
        one, two = ta.get(key), tb.get(key)
        if one is None or two is None:
            yield '%s: only one of them has run it' % (key,)
            continue
        for ip in one[0]:
            if one[0][ip] != two[0].get(ip):
                yield '%s 0x%04x: %s, %s' % (key, ip, one[0][ip],
                                             two[0].get(ip))
        for what, a, b in zip(('branches', 'sends', 'histograms'), one[1:],
                              two[1:]):
            if a != b:
                yield '%s: %s: %s' % (key, what, [
                    pair for pair in zip(a or (), b or ())
                    if pair[0] != pair[1]])


def has_avx512():
    with open('/proc/cpuinfo') as f:
        return ' avx512bw' in f.read()


def main():
    with open(sys.argv[1]) as f:
        found = problems(json.load(f))
    for why in found:
        print(*why)
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
