"""piglit's tests, one process each."""
import ast
import gzip
import json
import os
import re
import shlex
import subprocess
import sysconfig
import tempfile
from xml.etree import ElementTree

from pool import Result

STATUS = {'pass': 'Pass', 'fail': 'Fail', 'crash': 'Crash', 'skip': 'Skip',
          'warn': 'Warn', 'timeout': 'Timeout'}
# Generated tests of vertex inputs: thousands, and all alike. Mesa's CI leaves
# them out as well.
LEFT_OUT = re.compile(r'@vs_in@')
ABORTED = (-6, 134)
# Without a shader cache Mesa has no program binaries.
WANTS_CACHE = re.compile(r'^spec@arb_get_program_binary@')


def folder():
    for root in ('/usr/lib/' + (sysconfig.get_config_var('MULTIARCH') or ''),
                 '/usr/local/lib', '/usr/lib'):
        if os.path.exists(root + '/piglit/bin/shader_runner'):
            return root + '/piglit'
    raise SystemExit('conformance: piglit is not installed')


class Test:
    def __init__(self, command, require=(), exclude=()):
        self.command = command
        self.require = require  # platforms; none: all
        self.exclude = exclude

    def runs_on(self, platform):
        return (not self.require or platform in self.require) and \
            platform not in self.exclude


def platforms_of(profile):
    """{name: {option: platforms}} of the tests that do not run everywhere.
    print-cmd does not say it."""
    base = folder() + '/tests/' + profile
    if os.path.exists(base + '.meta.xml'):
        found = {}
        for part in ElementTree.parse(base + '.meta.xml').iter('Profile'):
            found.update(platforms_of(part.text))
        return found
    if not os.path.exists(base + '.xml.gz'):
        return {}
    with gzip.open(base + '.xml.gz') as file:
        return {test.get('name'): {
            option.get('name'): tuple(ast.literal_eval(option.get('value')))
            for option in test if option.get('name', '').endswith('_platforms')}
            for test in ElementTree.parse(file).iter('Test')}


def tests(profile, everything):
    """{name: Test} of a profile."""
    listed = subprocess.run(
        ['piglit', 'print-cmd', profile, '--format', '{name} ::: {command}'],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(
            os.environ, PATH='/usr/bin:' + os.environ.get('PATH', '')))
    if listed.returncode:
        raise SystemExit('conformance: piglit print-cmd %s: %s' % (
            profile, listed.stderr.decode(errors='replace').strip()[-400:]))
    found, limits = {}, platforms_of(profile)
    for line in listed.stdout.decode().splitlines():
        name, mark, command = line.partition(' ::: ')
        if mark and (everything or not LEFT_OUT.search(name)):
            words = shlex.split(command)
            words[0] = os.path.join(folder(), 'bin', os.path.basename(words[0]))
            limit = limits.get(name, {})
            found[name] = Test(words, limit.get('require_platforms', ()),
                               limit.get('exclude_platforms', ()))
    return found


def results(name, run):
    """[(name, Status)]: the test, and each of its subtests."""
    whole, parts = None, []
    for line in run.text.splitlines():
        if not line.startswith('PIGLIT: '):
            continue
        try:
            said = json.loads(line[8:])
        except ValueError:
            continue
        whole = said.get('result', whole)
        parts += said.get('subtest', {}).items()
    status = STATUS.get(whole, 'Fail')
    if run.timed_out:
        status = 'Timeout'
    elif run.code < 0 or run.code >= 128:
        status = 'Crash'
    elif whole is None and parts and run.code == 0:
        status = 'Fail' if any(s == 'fail' for _, s in parts) else 'Pass'
    elif run.code and status == 'Pass':
        status = 'Warn'
    return [(name, status)] + [
        ('%s@%s' % (name, part), STATUS.get(said, 'Fail'))
        for part, said in dict(parts).items()]


def environment(driver, name, platform, cache):
    env = driver.environment({'PIGLIT_PLATFORM': platform,
                              'PIGLIT_SOURCE_DIR': folder(),
                              'PIGLIT_NO_FAST_SKIP': '1'})
    if platform == 'surfaceless_egl':
        # Some tests open the default display.
        env['EGL_PLATFORM'] = 'surfaceless'
    if WANTS_CACHE.search(name):
        del env['MESA_SHADER_CACHE_DISABLE']
        env['MESA_SHADER_CACHE_DIR'] = cache
    return env


def run(pool, driver, item, timeout):
    """Runs one test with a shader cache of its own, if any."""
    with tempfile.TemporaryDirectory() as cache:
        return run_apart(pool, driver, item, timeout, cache)


def run_apart(pool, driver, item, timeout, cache):
    """Where a test aborts for want of a window system's framebuffer, which
    surfaceless EGL does not have, it gets one from GBM."""
    name, test = item
    platforms = ['surfaceless_egl']
    if driver.name != 'llvmpipe':  # finds no GBM device in a container
        platforms.append('gbm')
    if not os.access(test.command[0], os.X_OK):
        done = Result(0, test.command[0] + ' is not packaged', 0.0, False)
        return '', done, [(name, 'Skip')]
    if not any(test.runs_on(p) for p in platforms):
        done = Result(0, 'needs ' + ' or '.join(test.require), 0.0, False)
        return '', done, [(name, 'Skip')]
    for platform in platforms:
        if not test.runs_on(platform):
            continue
        env = environment(driver, name, platform, cache)
        done = pool.run(driver.prefix() + test.command, env, timeout,
                        cwd=folder())
        if done.code not in ABORTED or done.timed_out:
            break
    return platform, done, results(name, done)
