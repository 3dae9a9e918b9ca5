#!/usr/bin/env python3
"""softlake profile --html: one file that needs no other, in a real browser.

usage: run_report.py SCENES SOFTLAKE

The page's numbers are compared with those of profile.json; sorting, searching,
permalinks and the link from source to instructions are tried with mouse and
keys in a headless Chromium (skipped without one). A page of 500 kernels has to
be below 20 MB; how long it takes to open is printed (2 s are the goal). TAP.
"""
import html.parser
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import chromium

SCENES, SOFTLAKE = (os.path.abspath(p) for p in sys.argv[1:3])
LIMIT_B = 20 << 20
HOSTILE = '</script><b title="x">&amp; http://example.org'
results = []


def report(ok, name, *why):
    results.append(ok)
    print('%sok %d - %s' % ('' if ok else 'not ', len(results), name))
    if not ok:
        print('#', *(str(w).replace('\n', '\n# ') for w in why))
    sys.stdout.flush()


def run(*command):
    return subprocess.run(list(map(str, command)), text=True,
                          capture_output=True, timeout=300)


def convert(folder, profile, name):
    """The page of a profile."""
    source, page = folder / (name + '.json'), folder / (name + '.html')
    source.write_text(json.dumps(profile))
    done = run(SOFTLAKE, 'profile', '-q', f'--from={source}', f'--html={page}')
    if done.returncode:
        print('#', done.stderr)
    return page


# ---- profiles ---------------------------------------------------------------

def measured(folder):
    """The profile of a scene, and the page written by the same run."""
    files = folder / 'scene.json', folder / 'scene.html'
    run(SOFTLAKE, 'profile', '-q', '--timeline', f'--json={files[0]}',
        f'--html={files[1]}', '--', SCENES, 'tex-upload-copy', folder / 'a.png')
    return json.loads(files[0].read_text()), files[1]


def insn(ip, text, count, **more):
    return {'ip': ip, 'exec_size': 8, 'group': 3, 'text': text,
            'count': count, **more}


def synthetic(kernels, insns):
    return {'schema': 1, 'command': ['made', HOSTILE], 'kernels': [
        {'id': '%016x' % k, 'name': 'kernel_%d' % k, 'simd': 8, 'stage': 'cs',
         'size_B': 16 * insns, 'insns': [
             insn(16 * i, '        mad (8|M0)               r%d.0<1>:f    '
                  '  r%d.0<8;8,1>:f     r%d.0<8;8,1>:f      r%d.0<1>:f'
                  % (i % 128, k % 128, (i * k) % 127, k // 128),
                  (k * 7919 + 1) * (1 + i * i % 37)) for i in range(insns)]}
        for k in range(kernels)]}


# ---- the file ---------------------------------------------------------------

class Tags(html.parser.HTMLParser):
    """Elements that are not closed, and attributes that name documents."""
    VOID = 'meta', 'input', 'br'

    def __init__(self):
        super().__init__()
        self.open, self.wrong, self.data = [], [], ''

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID:
            self.handle_endtag(tag)

    def handle_starttag(self, tag, attrs):
        if tag not in self.VOID:
            self.open.append((tag, dict(attrs).get('id')))
        for name, value in attrs:
            if name in ('src', 'srcset', 'data') or \
                    name == 'href' and not value.startswith('#'):
                self.wrong.append('%s %s=%s' % (tag, name, value))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop()[0] != tag:
            self.wrong.append('</%s>' % tag)

    def handle_data(self, data):
        if self.open and self.open[-1] == ('script', 'data'):
            self.data += data


def parse(page):
    text = page.read_text()
    tags = Tags()
    tags.feed(text)
    tags.close()
    return text, tags


def unpack_list(columns):
    return [{n: c[i] for n, c in columns.items() if c[i] is not None}
            for i in range(len(next(iter(columns.values()))))]


def unpack(data):
    """The profile that report_pack.c has packed."""
    texts = data.pop('texts')
    for k in data['kernels']:
        columns = k['insns']
        columns['text'] = [texts[t] for t in columns['text']]
        k['insns'] = unpack_list(columns)
    if 'timeline' in data:
        data['timeline'] = unpack_list(data['timeline'])
    return data


def without_blanks(profile):
    for k in profile['kernels']:
        for i in k['insns']:
            i['text'] = re.sub(r'\s+', ' ', i['text']).strip()
    return profile


def check_file(profile, page):
    text, tags = parse(page)
    report('http' not in text, 'file: no address')
    report(not tags.wrong and not tags.open,
           'file: elements are closed and name no document', tags.wrong,
           tags.open)
    report(without_blanks(unpack(json.loads(tags.data))) ==
           without_blanks(profile), 'file: the data is profile.json')


def check_hostile(folder):
    p = synthetic(2, 5)
    p['kernels'][0]['name'] = HOSTILE
    p['kernels'][0]['insns'][0]['text'] = HOSTILE
    page = convert(folder, p, 'hostile')
    text, tags = parse(page)
    report('http' not in text and not tags.wrong and not tags.open,
           'hostile: names are no markup', tags.wrong, tags.open)
    name = json.loads(tags.data)['kernels'][1]['name']
    report(HOSTILE.startswith(name) and len(name) > 30,
           'hostile: the name is in the data')
    return page, name


def check_broken(folder):
    """Files that are no profiles, or whose parts have other types."""
    good = synthetic(1, 2)
    event = {'kind': 'draw', 'context': 1, 'begin_ns': 5, 'end_ns': 3}
    for name, profile in (
            ('a list', []), ('no kernels', {'schema': 1}),
            ('another schema', {**good, 'schema': 2}),
            ('numbers for texts', {'schema': 1, 'command': [1], 'kernels': [
                {'name': 1, 'insns': [1, {'text': 2, 'ip': 'x'}]}, 3]}),
            ('events', {**good, 'timeline': [
                1, event, {**event, 'kernels': [7], 'size': ['x'] * 9},
                {**event, 'context': -1}, {**event, 'kind': 'batch'}]})):
        source = folder / 'broken.json'
        source.write_text(json.dumps(profile))
        done = run(SOFTLAKE, 'profile', '--all', f'--from={source}', '-o',
                   folder / 'broken')
        report(done.returncode in (0, 125) and
               (done.returncode == 0) == ('kernels' in profile and
                                          profile['schema'] == 1),
               'broken: ' + name, done.returncode, done.stderr)


def check_rules(folder):
    """Each rule finds what it is about, at the place, and nothing below its
    threshold."""
    other = [insn(256 + 16 * i, 'mad', 10) for i in range(100)]
    cases = {
        'mov': ({'kind': 'mov'}, 30), 'send': ({'group': 1}, 15),
        'control flow': ({'group': 0}, 15), '64-bit': ({'group': 4}, 10),
        'int32 multiply': ({'kind': 'mul32'}, 10),
        'extended math': ({'kind': 'math'}, 25),
        'scalar': ({'exec_size': 1}, 15)}
    for name, (fields, limit) in cases.items():
        for percent in limit, limit + 1:
            # N of 1000 + N executions are of the kind.
            n = 1000 * percent // (100 - percent)
            k = {'id': '1', 'name': 'k', 'stage': 'vs', 'simd': 8, 'size_B': 16,
                 'insns': other + [{**insn(0x40, 'x', n), **fields}]}
            source = folder / 'rules.json'
            source.write_text(json.dumps({'schema': 1, 'kernels': [k]}))
            run(SOFTLAKE, 'profile', '-q', f'--from={source}',
                f'--json={folder}/found.json')
            found = json.loads((folder / 'found.json').read_text())['findings']
            want = [(name, 0x40)] if percent > limit else []
            report([(f['rule'], f.get('ip')) for f in found] == want,
                   f'rules: {name} at {percent}%', found)
    k = {'id': '1', 'name': 'k', 'stage': 'cs', 'simd': 8, 'size_B': 16,
         'insns': other}
    source.write_text(json.dumps({'schema': 1, 'kernels': [k]}))
    run(SOFTLAKE, 'profile', '-q', f'--from={source}',
        f'--json={folder}/found.json')
    found = json.loads((folder / 'found.json').read_text())['findings']
    report([f['rule'] for f in found] == ['SIMD8', 'few threads'],
           'rules: a small dispatch of SIMD8', found)
    big = {**k, 'simd': 16, 'insns': [insn(0, 'mad', 500), *other]}
    atomic = {'ip': 256, 'type': 'untyped atomic', 'count': 10, 'bytes': 640,
              'lines': 40, 'min_lines': 40}
    sized = {'global': [96], 'count': 1}
    for want, fields in (
            ([], {'sends': [{**atomic, 'lanes': 160}]}),
            ([('atomics', 256)], {'sends': [{**atomic, 'lanes': 161}]}),
            ([], {'sends': [{**atomic, 'lanes': 161, 'type': 'read'}]}),
            ([], {'launches': [{**sized, 'local': [32]}, sized]}),
            ([('group size', None)],
             {'launches': [{**sized, 'local': [4, 6]}]})):
        source.write_text(json.dumps({'schema': 1, 'kernels': [
            {**big, **fields}]}))
        run(SOFTLAKE, 'profile', '-q', f'--from={source}',
            f'--json={folder}/found.json')
        found = json.loads((folder / 'found.json').read_text())['findings']
        report([(f['rule'], f.get('ip')) for f in found] == want,
               f'rules: {want} of {list(fields)}', found)


# ---- the browser ------------------------------------------------------------

ROWS = 'Array.from(document.querySelectorAll("#kernels tbody tr"))'
NAMES = ROWS + '.filter(r => !r.hidden).map(r => r.cells[0].textContent)'
HEAD = 'document.querySelectorAll("#kernels th")[%d]'
LISTING = ('Array.from(document.querySelectorAll(".code tbody tr")).map(r => '
           '[Number(r.dataset.ip), '
           'Number(r.cells[1].textContent.replace(/\\D/g, ""))])')
INSIDE = ('(r => r.top >= 0 && r.bottom <= innerHeight)'
          '(document.querySelector("%s").getBoundingClientRect())')


def problems(browser):
    """Errors of the script, and requests for anything but files."""
    events = browser.take('Runtime.exceptionThrown', 'Log.entryAdded',
                          'Network.requestWillBeSent')
    return [e for e in events if 'request' not in e['params'] or not
            e['params']['request']['url'].startswith(('file:', 'blob:'))]


def check_sort(browser, profile):
    for column, key in ((4, 'insn'), (3, 'threads'), (0, 'name')):
        numbers = key != 'name'
        for down in (numbers, not numbers):
            browser.click(HEAD % column)
            names = browser.run(NAMES)
            value = {k['name']: k[key] for k in profile['kernels']}
            found = [value[n] for n in names]
            report(found == sorted(found, reverse=down) and
                   len(set(found)) > 1, 'sort: by %s, %s' %
                   (key, 'descending' if down else 'ascending'), found)
    browser.click(HEAD % 6)
    report(browser.run('%s.getAttribute("aria-sort")' % (HEAD % 6)) ==
           'ascending' and len(browser.run(NAMES)) == len(value),
           'sort: by a column without numbers')


def check_search(browser, profile):
    name = profile['kernels'][1]['name']
    for words, fits in (
            (name[3:12], lambda k: name[3:12] in k['name']),
            ('SENDSC (16', lambda k: any('sendsc (16' in i['text']
                                         for i in k['insns'])),
            ('no such thing', lambda k: False), ('', lambda k: True)):
        browser.click('document.getElementById("search")')
        browser.run('document.getElementById("search").select()')
        if words:
            browser.type(words)
        else:
            for kind in 'rawKeyDown', 'keyUp':
                browser.send('Input.dispatchKeyEvent', type=kind,
                             key='Backspace', windowsVirtualKeyCode=8)
            browser.settle()
        found, want = browser.run(NAMES), [k['name'] for k in
                                           profile['kernels'] if fits(k)]
        report(sorted(found) == sorted(want), f"search: '{words}'", found,
               want)


def check_permalink(browser, profile, page):
    k = profile['kernels'][1]
    last = k['insns'][-1]
    browser.open('about:blank')
    browser.open('%s#kernel=%s&insn=0x%x' % (page.as_uri(), k['name'],
                                             last['ip']))
    browser.settle()
    report(browser.run(LISTING) == [[i['ip'], i['count']] for i in k['insns']],
           'permalink: the listing has the counts of the kernel')
    report(browser.run('document.querySelector(".target").dataset.ip') ==
           str(last['ip']) and browser.run(INSIDE % '.target'),
           'permalink: the instruction is marked and in view')
    browser.click('document.querySelector(".code tbody tr").cells[3]')
    report(browser.run('location.hash') ==
           '#kernel=%s&insn=0x0000' % k['name'],
           'permalink: a click on an instruction makes one',
           browser.run('location.hash'))
    other = profile['kernels'][0]['name']
    browser.click('%s.find(r => r.textContent.includes("%s")).'
                  'querySelector("a")' % (ROWS, other))
    report(browser.run('document.querySelector("#kernel h2").textContent') ==
           other and browser.run(INSIDE % '#kernel h2'),
           'permalink: the name of a kernel leads to it')
    browser.run('history.back()')
    browser.settle()
    report(browser.run('document.querySelector("#kernel h2").textContent') ==
           k['name'], 'permalink: back')


def check_timeline(browser, profile):
    """A click on the longest draw leads to its kernel, also after zooming."""
    events = profile['timeline']
    first, last = (f(e[k] for e in events) for f, k in
                   ((min, 'begin_ns'), (max, 'end_ns')))
    draw = max((e for e in events if e['kind'] == 'draw'),
               key=lambda e: e['end_ns'] - e['begin_ns'])
    at = ((draw['begin_ns'] + draw['end_ns']) / 2 - first) / (last - first)
    browser.run('document.getElementById("lanes").scrollIntoView()')
    browser.settle()
    left, top, width = browser.run(
        '(r => [r.left, r.top, r.width])'
        '(document.getElementById("lanes").getBoundingClientRect())')
    # Rows of 20 pixels, of batches and of work for each context.
    x, y = left + at * width, top + 20 * (2 * draw['context'] - 1) + 20
    for zoomed in False, True:
        browser.run('location.hash = "#overview"')
        browser.run('document.getElementById("lanes").scrollIntoView()')
        if zoomed:
            for _ in range(3):
                browser.send('Input.dispatchMouseEvent', type='mouseWheel', x=x,
                             y=y, deltaX=0, deltaY=-100)
                browser.settle()
        for kind in 'mouseMoved', 'mousePressed', 'mouseReleased':
            if kind == 'mousePressed':
                text = browser.run(
                    'document.getElementById("event").textContent')
            browser.send('Input.dispatchMouseEvent', type=kind, x=x, y=y,
                         button='none' if kind == 'mouseMoved' else 'left',
                         clickCount=1)
            browser.settle()
        name = draw['kernels'][-1]
        report(browser.run('location.hash') == '#kernel=' + name and
               text.startswith('draw %s, %s, ' % (name, draw['process'])),
               'timeline: a draw leads to its kernel%s' %
               (', zoomed' if zoomed else ''), browser.run('location.hash'),
               text, draw)


def check_save(browser, folder, profile):
    browser.send('Browser.setDownloadBehavior', session=None,
                 behavior='allow', downloadPath=str(folder), eventsEnabled=True)
    browser.click('document.getElementById("save")')
    while browser.wait('Browser.downloadProgress')['state'] != 'completed':
        pass
    saved = json.loads((folder / 'profile.json').read_text())
    report(without_blanks(saved) == without_blanks(profile),
           'raw data: the saved file is profile.json')


def add_fields(page):
    """The page with lanes, branches, lines and their text."""
    text, tags = parse(page)
    data = json.loads(tags.data)
    k = data['kernels'][0]
    n = len(k['insns']['ip'])
    k['lanes'], k['channels'], k['simd_efficiency'] = 4321, 8642, 0.5
    k['launches'] = [{'global': [64, 32], 'count': 3}]
    k['branches'] = [{'ip': 32, 'count': 7, 'mixed': 3}]
    k['sends'] = [{'ip': 32, 'count': 2, 'lines': 17, 'min_lines': 2,
                   'stride': {'next': 1, 'mixed': 1}}]
    k['model'] = [{'table': 'A', 'us': 4, 'limit': 'FPU', 'fpu_us': 4,
                   'math_us': 1, 'flow_us': 0}]
    k['lane_histograms'] = [
        {'ip': 32, 'insns': 2, 'exec_size': 16, 'first_channel': 0, 'count': 9,
         'active_lanes': {'4': 6, '16': 3}}]
    k['insns']['lanes'] = [1000 + i for i in range(n)]
    k['insns']['source'] = [0] * n
    k['insns']['line'] = [2, 2, 4, None, 2]
    data['sources'] = [{'name': 'a/b.cl', 'text': 'one\ntwo\nthree\nfour'}]
    path = page.with_name('fields.html')
    path.write_text(text.replace(tags.data, json.dumps(data).replace(
        '<', '\\u003c')))
    return path, k


def check_fields(browser, page):
    """What a profile may have more is shown when it is there."""
    path, k = add_fields(page)
    browser.open(path.as_uri() + '#kernel=' + k['name'])
    browser.settle()
    text = browser.run('document.getElementById("kernel").innerText')
    report(re.search(r'Active lanes\s+4\u2009321 of 8\u2009642\s', text) and
           re.search(r'SIMD efficiency\s+50.0%', text) and
           re.search(r'Launches\s+global\s+count\s+64 \u00d7 32\s+3\s', text) and
           re.search(r'Branches\s+ip\s+count\s+mixed\s+0x0020\s+7\s+3\s',
                     text), 'fields: lanes and branches', text)
    report(re.search(r'Sends\s+ip\s+count\s+lines\s+min lines\s+stride\s+'
                     r'\u00d7 min\s+0x0020\s+2\s+17\s+2\s+'
                     r'next: 1, mixed: 1\s+8.50\s', text),
           'fields: memory accesses', text)
    report(re.search(r'Limits by the cycle model\s+Table A, limit: FPU\s+fpu\s+'
                     r'4.00 \u00b5s, 100.0%\s+math\s+1.00 \u00b5s, 25.0%', text),
           'fields: limits by the model', text)
    report(re.search(r'Lane histograms\s+ip\s+insns\s+exec size\s+first '
                     r'channel\s+count\s+active lanes\s+0x0020\s+2\s+16\s+0'
                     r'\s+9\s+4: 6, 16: 3\s', text) and
           browser.run('document.querySelectorAll(".bars span").length') == 17
           and browser.run('document.querySelectorAll(".bars span")[4].title')
           == '4 lanes: 12 instructions, 66.7%',
           'fields: histograms of lanes', text)
    lanes = browser.run('Array.from(document.querySelectorAll(".code tbody tr"'
                        ')).map(r => r.cells[3].textContent)')
    report(lanes == ['1\u2009%03d' % i for i in range(len(lanes))] and lanes,
           'fields: lanes of instructions', lanes)
    marked = ('Array.from(document.querySelectorAll(".%s tbody tr")).map('
              '(r, i) => r.classList.contains("linked") ? i : -1).filter('
              'i => i >= 0)')
    lines = 'document.querySelectorAll(".source tbody tr")'
    report(browser.run('%s.length' % lines) == 4 and
           browser.run('%s[3].cells[2].textContent' % lines) == 'four',
           'source: the text is there')
    browser.click(lines + '[1].cells[2]')
    report(browser.run(marked % 'code') == [0, 1, 4],
           'source: a line marks its instructions')
    browser.click('document.querySelectorAll(".code tbody tr")[2].cells[1]')
    report(browser.run(marked % 'source') == [3],
           'source: an instruction marks its line')


def check_full(browser, folder):
    """Beyond the limit listings are left out, of the smallest kernels first."""
    page = convert(folder, synthetic(500, 800), 'full')
    size_B = page.stat().st_size
    report(size_B < LIMIT_B, 'full: the page stays below 20 MB', size_B)
    browser.open(page.as_uri() + '#kernel=kernel_0')
    browser.settle()
    text = browser.run('document.getElementById("kernel").innerText')
    report('no room' in text and 'annotate profile.json kernel_0' in text,
           'full: what has no listing says so', text)
    browser.run('location.hash = "#kernel=kernel_499"')
    browser.settle()
    report(len(browser.run(LISTING)) == 800, 'full: large kernels have one')


def check_large(browser, folder):
    page = convert(folder, synthetic(500, 300), 'large')
    size_B = page.stat().st_size
    report(size_B < LIMIT_B, 'large: 500 kernels are below 20 MB', size_B)
    times = []
    for _ in range(3):
        browser.open('about:blank')
        browser.open(page.as_uri() + '#kernel=kernel_499')
        browser.settle()
        times.append(browser.run('performance.now()'))
    print('# %d bytes, shown after %d ms' % (size_B, min(times)))
    report(len(browser.run(NAMES)) == 500, 'large: all kernels are there')
    report(len(browser.run(LISTING)) == 300, 'large: and their instructions')


def check_browser(folder, profile, page, hostile):
    browser = chromium.Chromium(folder / 'chromium')
    try:
        browser.open(page.as_uri())
        report(browser.run(NAMES) == [k['name'] for k in profile['kernels']],
               'browser: the kernels are there')
        check_sort(browser, profile)
        check_search(browser, profile)
        check_permalink(browser, profile, page)
        check_timeline(browser, profile)
        check_save(browser, folder, profile)
        browser.open(hostile[0].as_uri())
        report(hostile[1] in browser.run(NAMES) and
               browser.run('document.querySelectorAll("b").length') == 0,
               'browser: a hostile name is a name')
        check_fields(browser, hostile[0])
        empty = convert(folder, {'schema': 1, 'kernels': []}, 'empty')
        browser.open(empty.as_uri())
        text = browser.run('document.getElementById("overview").innerText')
        report(browser.run(NAMES) == [] and re.search(r'Platform\s+-\s', text),
               'browser: a profile without kernels', text)
        check_large(browser, folder)
        check_full(browser, folder)
        wrong = problems(browser)
        report(not wrong, 'browser: no error, and no request', *wrong)
    finally:
        browser.close()


def main():
    folder = pathlib.Path(tempfile.mkdtemp())
    try:
        profile, page = measured(folder)
        check_file(profile, page)
        hostile = check_hostile(folder)
        check_rules(folder)
        check_broken(folder)
        if chromium.find():
            check_browser(folder, profile, page, hostile)
        else:
            results.append(True)
            print('ok %d - browser # SKIP no Chromium' % len(results))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print('1..%d' % len(results))
    return 0 if all(results) else 1


sys.exit(main())
