#!/usr/bin/env python3
"""softlake disasm --cycles on kernels whose clocks are known. TAP.

usage: test_cycles.py SOFTLAKE

What stock drivers make of the client scenes, the test cycles compares.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

SOFTLAKE = sys.argv[1]
# A shader with a loop, and what Mesa 22.3.6 printed of it: the sum, and the
# blocks' clocks.
LOOP = bytes.fromhex(
    '5a4b0220e01d04025a4b2220e0050402010000002c0e2024000000080000c03f'
    '016b002000020000016b002000030000016b002000040000010000002c0e2424'
    '00000008000040405b01600040001e060110224042204701010000002c0e2824'
    '00000008cdcc0c405b01600040001e07011422404220470710ab012407000428'
    '28006100200e0020e8000000e800000041006000e83a002140008d3e00000040'
    '5b910020003808045bb1002000300c105bad002000480c06414b0220e70c0b0b'
    '5bd100200060281410006003e03a0020a0018d3e0000804028006100200e0020'
    '9000000090000000407a0120070e040140006000e83a602240018d3e17b7d138'
    '40006000e83a802260018d3e17b7d1384100600000020024c0018d1649924992'
    '490060100802e021c0018d0649922449086b012007100f0141cb012007111007'
    '408b0120f712041140cb01200704040110ab01210700120302350120e7020a13'
    '02350120e7030b1427006000200e00200000000810ffffff018b002007150400'
    '056b012007160401410060000002002480008d16cdcccdcc01006000e83e602f'
    '000000380000803f41006000e83a802fa0028d3ecdcccc3c018b0020077d1600'
    '490060100802e02280008d06cdcccccc086b01200718170241cb012007191805'
    '408b0120f71a0419018b0020071b1a0041006000e83ac02f60038d3ecdcc4c3e'
    '3400600510b00700810f000000140386')
LOOP_CLOCKS, LOOP_BLOCKS = 1846, (44, 220, 620, 880, 82)
# Two additions, of which the second needs the first one's result, and the end.
CHAIN = bytes.fromhex(
    '40006000280a802120008d0ec8000000'  # add (8) r12 r1 200
    '40006000280aa02180018d0ec8000000'  # add (8) r13 r12 200
    '010060000c02e02f00008d0000000000'  # (W) mov (8) r127 r0
    '3100600704020020e00f000610000082')  # (W) send (8) EOT
# Issue 2; results after 8 clocks by table A, after 14 by table B.
CHAIN_CLOCKS = {'A': [2, 10, 2, 10], 'B': [2, 16, 2, 16]}
# A copy of the registers that r10 has the numbers of, and the end.
INDIRECT = bytes.fromhex(
    '0102600044160022000000102000200040046000401200224001ae1620002000'
    '01006000080220210080e00100000000010060000c02e02f00008d0000000000'
    '3100600704020020e00f000610000082')
number = 0


def check(good, text, *why):
    global number
    number += 1
    print('%sok %d - %s' % ('' if good else 'not ', number, text))
    if not good:
        print('#', *why)


def cycles(folder, code, table='A'):
    """The sum, the clocks of each instruction with the weight, and the text."""
    path = folder / 'kernel.bin'
    path.write_bytes(code)
    out = subprocess.run([SOFTLAKE, 'disasm', f'--cycles={table}', path],
                         text=True, capture_output=True).stdout
    clocks = [(int(c), int(w)) for c, w in
              re.findall(r'^\[[0-9a-f]+\] +(\d+) x(\d+)', out, re.MULTILINE)]
    total = re.search(r'^// \d+ instructions, (\d+) cycles', out, re.MULTILINE)
    return total and int(total[1]), clocks, out


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    total, clocks, out = cycles(folder, LOOP)
    check(total == LOOP_CLOCKS, "a loop: Mesa's sum", out)
    check(sum(c * w for c, w in clocks) == sum(LOOP_BLOCKS),
          "a loop: Mesa's blocks", out)
    check({w for _, w in clocks} == {1, 10}, 'a loop weighs ten', out)
    for table, expected in CHAIN_CLOCKS.items():
        total, clocks, out = cycles(folder, CHAIN, table)
        check(clocks == [(c, 1) for c in expected] and total == sum(expected),
              'a chain, table ' + table, out)
    _, _, out = cycles(folder, CHAIN + b'\0' * 8)
    check('(illegal)' in out, 'what is no instruction ends the kernel', out)
    out = cycles(folder, INDIRECT)[2]
    check("Mesa's may differ" in out, 'an array of registers is said', out)
    bad = subprocess.run([SOFTLAKE, 'disasm', '--cycles=C', '-'],
                         capture_output=True)
    check(bad.returncode == 2, 'there is no table C', bad.stderr)
print('1..%d' % number)
