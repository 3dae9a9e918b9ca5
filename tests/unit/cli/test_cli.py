#!/usr/bin/env python3
"""The launcher's own behaviour: exit codes, options, environment. TAP."""
import os
import pathlib
import subprocess
import sys
import tempfile

softlake, static_program = sys.argv[1:3]
results = []


def run(*args, **env):
    environ = {k: v for k, v in os.environ.items()
               if not k.startswith('SOFTLAKE_')}
    environ.update(env)
    return subprocess.run([softlake, *args], env=environ, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=60)


def check(name, ok, run_result=None):
    results.append((name, bool(ok), run_result))


def expect_status(name, status, *args, **env):
    r = run(*args, **env)
    check(name, r.returncode == status, r)
    return r


with tempfile.TemporaryDirectory() as tmp:
    tmp = pathlib.Path(tmp)
    plain = tmp / 'plain'
    plain.write_text('not executable\n')
    script = tmp / 'script'
    script.write_text('#!/bin/sh\nexit 42\n')
    script.chmod(0o755)

    expect_status('status of the command', 0, 'true')
    expect_status('failure of the command', 1, 'false')
    expect_status('scripts run', 42, str(script))
    expect_status('missing command', 127, 'no-such-command-here')
    expect_status('missing path', 127, str(tmp / 'nothing'))
    expect_status('not executable', 126, str(plain))
    expect_status('a directory', 126, str(tmp))
    expect_status('unknown option', 125, '--frobnicate')
    expect_status('no command', 125)
    expect_status('bad thread count', 125, '--threads', 'many', 'true')
    expect_status('negative thread count', 125, '--threads=-1', 'true')
    expect_status('bad platform', 125, '--platform=voodoo', 'true')

    r = expect_status('help', 0, '--help')
    check('help goes to stdout', 'usage: softlake' in r.stdout, r)
    r = expect_status('version', 0, '--version')
    check('version names the program', r.stdout.startswith('softlake '), r)
    r = expect_status('trace help', 0, '--trace=help')
    check('trace help lists topics', 'draw' in r.stderr, r)

    r = expect_status('strict: device never opened', 120, '--strict', 'true')
    check('strict says why', 'never opened' in r.stderr, r)
    expect_status('strict keeps a failure', 1, '--strict', 'false')
    expect_status('strict from the environment', 120, 'true',
                  SOFTLAKE_STRICT='1')
    expect_status('strict off in the environment', 0, 'true',
                  SOFTLAKE_STRICT='0')
    expect_status('strict: missing command', 127, '--strict', 'no-such-cmd')
    r = expect_status('strict: static program', 120, '--strict',
                      static_program)
    check('strict names the static program', 'statically' in r.stderr, r)
    r = expect_status('static program runs otherwise', 0, static_program)
    check('but with a warning', 'statically' in r.stderr, r)
    r = expect_status('strict: death by signal', 128 + 15, '--strict', 'sh',
                      '-c', 'kill -TERM $$')

    r = run('sh', '-c', 'echo $LD_PRELOAD')
    check('preloads the library', 'libsoftlake.so' in r.stdout, r)
    r = run('sh', '-c', 'echo $LD_PRELOAD', LD_PRELOAD='libm.so.6')
    check('appends to LD_PRELOAD',
          r.stdout.startswith('libm.so.6:') and 'libsoftlake' in r.stdout, r)
    r = run('sh', '-c', 'echo $LD_PRELOAD', LD_PRELOAD='libtcmalloc.so.4')
    check('comes before libraries that define mmap()',
          r.stdout.rstrip().endswith('libsoftlake.so:libtcmalloc.so.4'), r)
    r = run('sh', '-c', 'echo $ASAN_OPTIONS $GLIBC_TUNABLES',
            ASAN_OPTIONS='detect_leaks=0')
    check('sets options, and keeps those of the user',
          'verify_asan_link_order=0:detect_leaks=0 glibc.' in r.stdout, r)
    r = run('--strict', 'sh', '-c', 'echo $SOFTLAKE_REPORT')
    check('the report is no path', '/' not in r.stdout and ':' in r.stdout, r)
    r = run('--', 'sh', '-c', 'echo $0 $1', 'a', '--check')
    check('arguments after -- are the command\'s',
          r.stdout == 'a --check\n', r)
    r = run('--threads=3', '--noop', '--stats', '-p', 'skl', 'sh', '-c',
            'echo $SOFTLAKE_THREADS $SOFTLAKE_NOOP $SOFTLAKE_STATS '
            '$SOFTLAKE_PLATFORM')
    check('options become environment', '3 1 1 skl' in r.stdout, r)
    r = subprocess.run([softlake, '-f', 'x.png', 'sh', '-c',
                        'echo $SOFTLAKE_FRAMEBUFFER'], cwd=tmp, text=True,
                       stdout=subprocess.PIPE, timeout=60)
    check('paths are made absolute', r.stdout.strip() == str(tmp / 'x.png'))

print('1..%d' % len(results))
for number, (name, ok, r) in enumerate(results, 1):
    print('%s %d - %s' % ('ok' if ok else 'not ok', number, name))
    if not ok and r is not None:
        print('# status %d\n# %s' % (r.returncode, (r.stdout + r.stderr)
                                     .replace('\n', '\n# ')))
