#!/usr/bin/env python3
"""softlake eu-run and disasm on raw code, and files that are none. TAP.

usage: test_cmd_eu_run.py SOFTLAKE
"""
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

softlake = sys.argv[1]
number = 0

# (W) mov (8) r10:ud 2; add (8) r12:d r10 r1; (W) mov (8) r2:ud 0;
# (W) mov (1) r2.0:uq 0x20000000; mov (8) r127 r0; send EOT
ADD = bytes.fromhex(
    '010060000c0640210000000002000000'
    '40006000280a802140018d0a20008d00'
    '010060000c0640200000000000000000'
    '010000000c4740200000002000000000'
    '010060000802e02f00008d0000000000'
    '3100600704020020e00f000610000082')
# (W) mov (8) r127 r0; send (8) r20 r1: untyped read of x; send EOT
READ = bytes.fromhex(
    '010060000c02e02f00008d0000000000'
    '3100600c0802802220000006ff6e1002'
    '3100600700020020e00f000610000082')


def check(good, text, done=None):
    global number
    number += 1
    print('%s %d - %s' % ('ok' if good else 'not ok', number, text))
    if not good and done:
        print('# status %d\n# %s' % (done.returncode, (
            done.stdout + done.stderr).replace('\n', '\n# ')))


def run(*args):
    return subprocess.run([softlake, *map(str, args)], text=True, timeout=60,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def registers(folder):
    code, grf = folder / 'add.bin', folder / 'add.grf'
    code.write_bytes(ADD)
    image = bytearray(4096)
    struct.pack_into('<8i', image, 32, *range(-3, 5))
    grf.write_bytes(image)
    done = run('eu-run', code, '--grf', grf, '--json')
    said = json.loads(done.stdout) if done.returncode == 0 else {}
    check(said.get('instructions') == 6 and
          said['grf'][12] == [2 ** 32 - 1, 0, 1, 2, 3, 4, 5, 6],
          'registers from an image, a sum in JSON', done)
    check(said and said['opcodes'] == {'mov': 4, 'add': 1, 'send': 1},
          'executions by opcode', done)
    grf.write_text('# the second operand\nr1:d 1 2 3 4 5 6 7 8\n')
    done = run('eu-run', code, '--grf', grf, '--mask', '0f')
    check('r12: 00000003 00000004 00000005 00000006 00000000' in done.stdout,
          'registers from text, half of the channels', done)
    for text in ('r128:d 1\n', 'r1:x 1\n', 'r127.7:d 1 2\n', 'one\n'):
        grf.write_text(text)
        done = run('eu-run', code, '--grf', grf)
        check(done.returncode == 1 and 'softlake: ' in done.stderr and
              not done.stdout, 'refused: ' + text.strip(), done)


def memory(folder):
    code, grf = folder / 'read.bin', folder / 'read.grf'
    code.write_bytes(READ)
    grf.write_text('r1:ud 0x10000 0x10004 0x10008 0x1000c '
                   '0x10000 0x10000 0x10000 0x10000\n')
    done = run('eu-run', code, '--grf', grf,
               '--memory', '0x10000=int[4]:11,22,33,44')
    check('r20: 0000000b 00000016 00000021 0000002c 0000000b' in done.stdout,
          'an untyped read finds the memory', done)
    done = run('eu-run', code, '--grf', grf, '--tier', 'check',
               '--memory', '0x10000=int[4]:11,22,33,44')
    check(done.returncode == 0, 'both tiers, compared', done)


def profile(folder):
    """The report of `softlake profile`, for the kernel alone."""
    code, grf, out = (folder / n for n in ('add.bin', 'add.grf', 'out.json'))
    code.write_bytes(ADD)
    grf.write_text('r1:d 1 2 3 4 5 6 7 8\n')
    for tier in 'interp', 'jit':
        done = run('eu-run', code, '--grf', grf, '--tier', tier,
                   f'--profile=lanes,json={out},csv={folder}/csv')
        p = json.loads(out.read_text()) if done.returncode == 0 else None
        check(p and '1 thread' in done.stdout and
              [(k['simd'], k['threads'], k['insn'])
               for k in p['kernels']] == [(8, 1, 6)] and
              [(i['count'], i['lanes']) for i in p['kernels'][0]['insns']] ==
              [(1, 8)] * 3 + [(1, 1)] + [(1, 8)] * 2 and
              (folder / 'csv' / 'kernels.csv').exists(),
              '--profile: counts and lanes, ' + tier, done)
    done = run('eu-run', code, '--grf', grf, '--profile')
    check(done.returncode == 0 and
          'softlake profile: 6 EU instructions, 1 kernel' in done.stderr,
          '--profile: a summary', done)
    done = run('eu-run', code, '--grf', grf, '--profile=nothing')
    check(done.returncode == 125, '--profile: a bad option', done)


def bad_files(folder):
    path = folder / 'file'
    for name, data in (('nothing', b''), ('a byte', b'\x01'),
                       ('half an instruction', ADD[:12]),
                       ('an ELF header alone', b'\x7fELF\x02\x01\x01' +
                        bytes(57)),
                       ('tokens cut off', b'CTNI' + bytes(20)),
                       ('noise', bytes(range(256)) * 8)):
        path.write_bytes(data)
        for command in (['disasm', path],
                        ['eu-run', path, '--grf', folder / 'read.grf']):
            done = run(*command)
            check(done.returncode in (0, 1) and
                  (done.returncode == 0 or 'softlake: ' in done.stderr or
                   'illegal' in done.stdout),
                  '%s: %s' % (command[0], name), done)
    done = run('eu-run', folder / 'none', '--grf', folder / 'read.grf')
    check(done.returncode == 1 and done.stderr.count('\n') == 1 and
          'No such file' in done.stderr, 'a file that is not there', done)


def main():
    print('TAP version 13')
    with tempfile.TemporaryDirectory() as folder:
        registers(pathlib.Path(folder))
        memory(pathlib.Path(folder))
        bad_files(pathlib.Path(folder))
        profile(pathlib.Path(folder))
    print('1..%d' % number)


if __name__ == '__main__':
    main()
