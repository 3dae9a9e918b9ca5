#!/usr/bin/env python3
"""The conformance runner itself: judging, chunks that crash or hang, resuming.

usage: test_runner.py CONFORMANCE

A script that talks like dEQP stands in for a build of it, and one that asks
for pages for a browser. Output is TAP.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
from xml.etree import ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import drivers  # noqa: E402
import icd  # noqa: E402
import piglit  # noqa: E402
from expect import Expectations  # noqa: E402
from pool import Result  # noqa: E402

DEQP = '''#!/usr/bin/env python3
import os, sys, time
options = dict(a[2:].split('=', 1) for a in sys.argv[1:])
assert options['deqp-gl-config-name'] == 'rgba8888d24s8ms0'
assert os.environ['EGL_PLATFORM'] == 'surfaceless'
for name in open(options['deqp-caselist-file']).read().split():
    print("Test case '%s'.." % name, flush=True)
    kind = name.rpartition('.')[2].rstrip('0123456789')
    if kind == 'crash':
        os.abort()
    if kind == 'hang':
        time.sleep(600)
    print('  %s (%s)' % (kind, kind), flush=True)
'''
CASES = ['g.Pass1', 'g.crash1', 'g.Pass2', 'g.Fail1', 'g.hang1',
         'g.NotSupported1', 'g.QualityWarning1', 'g.Pass3', 'g.Fail2']

# Its Vulkan is in folders as a build has them, and the list names files.
DEQP_VK = DEQP.replace("assert os.environ['EGL_PLATFORM'] == 'surfaceless'", '''
assert os.path.samefile(os.getcwd(), os.path.dirname(sys.argv[0]))
assert os.environ['VK_DRIVER_FILES'] == os.environ['VK_ICD_FILENAMES']
assert 'lvp_icd' in os.environ['VK_DRIVER_FILES']
assert 'intel' not in os.environ['VK_DRIVER_FILES']
cache = options['deqp-shadercache-filename']
assert not os.path.exists(cache)
open(cache, 'w').close()
print('Writing test log into /dev/null\\ndEQP Core vulkan-cts starting..')
''')
VK = ('external', 'vulkancts')
VK_LISTS = {
    'vk-default.txt': 'vk-default/api.txt\n\nvk-default/draw/all.txt\n',
    'vk-default/api.txt': 'dEQP-VK.api.Pass1\ndEQP-VK.api.crash1\n',
    'vk-default/draw/all.txt': '# more\ndEQP-VK.draw.NotSupported1\n'
                               'dEQP-VK.draw.DeviceLost1\ndEQP-VK.draw.Pass2\n'}

# What a page holds is what this browser does with it.
BROWSER = '''#!/usr/bin/env python3
import json, os, sys, time, urllib.request
base = sys.argv[-1].rsplit('/', 2)[0]
assert '--use-angle=gl-egl' in sys.argv
assert b'webglTestHarness' in urllib.request.urlopen(sys.argv[-1]).read()
def tell(**said):
    urllib.request.urlopen(base + '/softlake/report', json.dumps(said).encode())
while True:
    page = json.load(urllib.request.urlopen(base + '/softlake/next'))
    if not page:
        time.sleep(600)
    does = urllib.request.urlopen(base + page['url']).read().decode().split()
    count = {kind: does.count(kind) for kind in ('pass', 'fail', 'skip')}
    tell(failures=['is\\n  Pass (wrong)'] * count['fail'], finished=False)
    if 'crash' in does:
        os.abort()
    if 'hang' in does:
        time.sleep(600)
    assert ('two' in does) == ('webglVersion=2' in page['url'])
    tell(failures=[], finished=True, **count)
'''
PAGES = {
    '00_test_list.txt': '// lists\n--max-version 1.9.9 one.html\n'
                        '--min-version 2.0.0 new/00_test_list.txt\n'
                        'both.html\n',
    'one.html': 'pass', 'both.html': 'pass fail fail',
    'new/00_test_list.txt': '# pages\na.b.html\n--slow crash.html\n'
                            'hang.html\nskip.html\nlast.html\n',
    'new/a.b.html': 'two pass pass', 'new/crash.html': 'two pass crash',
    'new/hang.html': 'two fail hang', 'new/skip.html': 'two skip',
    'new/last.html': 'two pass skip'}

number = 0


def check(good, text):
    global number
    number += 1
    print('%s %d - %s' % ('ok' if good else 'not ok', number, text))


def run(conformance, folder, *options):
    done = subprocess.run(
        [conformance, 'deqp', '--build', str(folder), '--output',
         str(folder / 'out'), '--expectations', str(folder / 'e-'),
         '--timeout', '1', '--driver', 'llvmpipe'] + list(options),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    rows = (folder / 'out' / 'results.csv').read_text().splitlines()[1:]
    return done, dict(row.split(',')[:2] for row in rows)


def chunks(conformance):
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        program = folder / 'modules' / 'deqp-gles2'
        program.parent.mkdir()
        program.write_text(DEQP)
        program.chmod(0o755)
        (folder / 'gles2-main.txt').write_text('\n'.join(CASES) + '\n')
        (folder / 'e-fails.txt').write_text(
            'g.crash1,Crash\ng.hang1,Timeout\ng.Fail1,Fail\ng.Fail2,Fail\n')
        done, rows = run(conformance, folder)
        want = {'g.Pass1': 'Pass', 'g.crash1': 'Crash', 'g.Pass2': 'Pass',
                'g.Fail1': 'Fail', 'g.hang1': 'Timeout',
                'g.NotSupported1': 'Skip', 'g.QualityWarning1': 'Warn',
                'g.Pass3': 'Pass', 'g.Fail2': 'Fail'}
        check(rows == want, 'a crash and a hang take no other case with them')
        check(done.returncode == 0, 'expected failures are no failures')

        (folder / 'e-fails.txt').write_text(
            'g.crash1,Crash\ng.hang1,Timeout\ng.Fail1,Fail\ng.Pass3,Fail\n')
        lines = (folder / 'out' / 'results.csv').read_text().splitlines()
        kept = [line for line in lines if not line.startswith('g.Pass2')]
        (folder / 'out' / 'results.csv').write_text(
            '\n'.join(kept) + '\ng.Pass2,Pa')
        done, rows = run(conformance, folder, '--resume')
        check(rows == want, '--resume runs what has no whole line')
        failures = (folder / 'out' / 'failures.csv').read_text().splitlines()
        check(failures == ['g.Fail2,Fail',
                           'g.Pass3,UnexpectedImprovement(Pass)'],
              'failures.csv: an unlisted failure, a pass that is listed')
        check(done.returncode == 1, 'either of them fails the run')
        suite = ElementTree.parse(str(folder / 'out' / 'junit.xml')).find(
            'testsuite')
        check((suite.get('tests'), suite.get('failures')) == ('9', '2'),
              'junit.xml counts the same')

        (folder / 'e-skips.txt').write_text('crash\nhang\n')
        done, rows = run(conformance, folder, '--fraction', '2', '-x', 'Fail')
        check(list(rows) == ['g.Pass1', 'g.NotSupported1', 'g.Pass3'],
              'skips, -x, then every second test')


def vulkan(conformance):
    if not icd.only('lvp'):
        check(True, 'deqp-vk # SKIP lavapipe is not installed')
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        program = folder.joinpath(*VK, 'modules', 'vulkan', 'deqp-vk')
        program.parent.mkdir(parents=True)
        program.write_text(DEQP_VK)
        program.chmod(0o755)
        for name, text in VK_LISTS.items():
            path = folder.joinpath(*VK, 'mustpass', 'main', name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        (folder / 'e-fails.txt').write_text(
            'dEQP-VK.api.crash1,Crash\ndEQP-VK.draw.DeviceLost1,Fail\n')
        done, rows = run(conformance, folder, '--suite', 'vk')
        check(rows == {'dEQP-VK.api.Pass1': 'Pass',
                       'dEQP-VK.api.crash1': 'Crash',
                       'dEQP-VK.draw.NotSupported1': 'Skip',
                       'dEQP-VK.draw.DeviceLost1': 'Fail',
                       'dEQP-VK.draw.Pass2': 'Pass'},
              "Vulkan's list of lists, on the driver that was chosen")
        check(done.returncode == 0 and b'Kaby Lake' not in done.stdout,
              'what was expected, and nothing about Kaby Lake')
        folder.joinpath(*VK, 'mustpass', 'main', 'vk-default', 'api.txt'
                        ).unlink()
        done = subprocess.run(
            [conformance, 'deqp', '--build', str(folder), '--suite', 'vk',
             '--driver', 'llvmpipe', '--output', str(folder / 'out')],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        check(done.returncode == 1 and b'api.txt' in done.stderr and
              b'Traceback' not in done.stderr,
              'a list that is named and not there is said')


def pages(conformance):
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        suite = folder / 'WebGL' / 'sdk' / 'tests'
        (suite / 'new').mkdir(parents=True)
        for name, text in PAGES.items():
            (suite / name).write_text(text)
        browser = folder / 'browser'
        browser.write_text(BROWSER)
        browser.chmod(0o755)
        done = subprocess.run(
            [conformance, 'webgl', '--checkout', str(folder / 'WebGL'),
             '--browser', str(browser), '--output', str(folder / 'out'),
             '--expectations', str(folder / 'e-'), '--timeout', '6',
             '--driver', 'llvmpipe', '--jobs', '2'],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        rows = (folder / 'out' / 'results.csv').read_text().splitlines()[1:]
        check(dict(row.split(',')[:2] for row in rows) == {
            'webgl1.one': 'Pass', 'webgl1.both': 'Fail',
            'webgl2.new.a.b': 'Pass', 'webgl2.new.crash': 'Crash',
            'webgl2.new.hang': 'Timeout', 'webgl2.new.skip': 'Skip',
            'webgl2.new.last': 'Pass'},
            'pages have results, and the version of WebGL that they are for')
        check(done.returncode == 1 and b'Kaby Lake' not in done.stdout,
              'three of them fail the run')
        log = (folder / 'out' / 'logs' / 'webgl1.both.txt').read_text()
        check('\n    is Pass (wrong)\n' in log, 'messages are kept')


def piglit_output():
    text = ('PIGLIT: {"enumerate subtests": ["a", "b"]}\n'
            'PIGLIT: {"subtest": {"a" : "pass"}}\n'
            'PIGLIT: {"subtest": {"b" : "fail"}}\n'
            'PIGLIT: {"result": "fail" }\n')
    check(piglit.results('t', Result(1, text, 0, False)) ==
          [('t', 'Fail'), ('t@a', 'Pass'), ('t@b', 'Fail')],
          'subtests of piglit have results of their own')
    passed = 'PIGLIT: {"result": "pass" }\n'
    check(piglit.results('t', Result(0, passed, 0, False)) ==
          [('t', 'Pass')], 'a pass')
    check(piglit.results('t', Result(-11, passed, 0, False)) ==
          [('t', 'Crash')], 'a crash after the result is a crash')
    check(piglit.results('t', Result(-9, passed, 0, True)) ==
          [('t', 'Timeout')], 'a time limit')
    check(piglit.results('t', Result(0, '', 0, False)) == [('t', 'Fail')],
          'no result is a failure')


def piglit_environment():
    driver = drivers.Driver('softlake', 'softlake', 0, 'check')
    binary, other = (
        piglit.environment(driver, 'spec@arb_get%s@x' % name, platform, '/c')
        for name, platform in (('_program_binary', 'gbm'),
                               ('', 'surfaceless_egl')))
    check('MESA_SHADER_CACHE_DISABLE' not in binary and
          binary['MESA_SHADER_CACHE_DIR'] == '/c' and
          other['MESA_SHADER_CACHE_DISABLE'] == 'true',
          'program binaries have a shader cache, nothing else has')
    check(binary['SOFTLAKE_EU'] == 'check', 'the tier is passed on')
    check('EGL_PLATFORM' not in binary and
          other['EGL_PLATFORM'] == 'surfaceless',
          'the default display is surfaceless where the test is')


def judging():
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / 'fails.txt').write_text('# why\na,b,Fail\n')
        (pathlib.Path(folder) / 'flakes.txt').write_text('wobbl.*\n')
        e = Expectations(folder + '/')
        check(e.verdict('a,b', 'Fail') is None, 'a name with a comma')
        check(e.verdict('a,b', 'Crash') == 'Crash',
              'a crash where a failure is expected')
        check(e.verdict('the wobbly one', 'Fail') is None, 'a flake')
        check(e.verdict('c', 'Skip') is None, 'a skip is as good as expected')


def main():
    os.environ.pop('PYTHONPATH', None)
    print('TAP version 13')
    chunks(sys.argv[1])
    vulkan(sys.argv[1])
    pages(sys.argv[1])
    piglit_output()
    piglit_environment()
    judging()
    print('1..%d' % number)


if __name__ == '__main__':
    main()
