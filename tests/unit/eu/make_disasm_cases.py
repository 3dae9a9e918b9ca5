"""Writes disasm test cases: instructions of raw kernels beside the text that
Intel's iga64 (package libigc-tools) gives for them.

usage: make_disasm_cases.py GEN KERNEL... > disasm_genN.txt

Of instructions that differ in numbers only, the first is kept; of a KERNEL
written as +KERNEL, all. A line is the
bytes in hexadecimal, a tab, and the text with single spaces; comments end
after the shared function's name. Lines that iga64 describes incompletely
(Align16 swizzles and channel masks) are left out.
"""
import re
import subprocess
import sys


def normalize(text):
    text = re.sub(r'(// [^;]*;[^;]*);.*', r'\1', text)
    return ' '.join(text.split())


def shape(text):
    text = re.sub(r'//.*?; ([^;]*)', r'\1', text)
    text = re.sub(r'r\d+', 'r', text)
    text = re.sub(r'(?<=r)\.\d+', '', text)
    text = re.sub(r'0x[0-9A-F]+', '0x', text)
    return re.sub(r'-?\d+(\.\d+)?(e[-+]\d+)?(?=[: ]|$)', '0', text)


def instructions(path, gen):
    """Yields (bytes, text); empty when iga64 is not sure."""
    with open(path, 'rb') as file:
        data = file.read()
    run = subprocess.run(
        ['iga64', '-d', f'-p={gen}', '-n', '-Xprint-pc', path],
        capture_output=True, text=True, check=False)
    lines = re.findall(r'^/\* \[([0-9A-F]+)\]  \*/ (.*)$', run.stdout, re.M)
    for offset, text in lines:
        start = int(offset, 16)
        length = 8 if data[start + 3] & 0x20 else 16
        yield data[start:start + length], text


def incomplete(raw):
    ternary = raw[0] & 0x7f in (0x12, 0x18, 0x1a, 0x5b, 0x5c, 0x5d)
    if len(raw) != 16 or not raw[1] & 1:
        return False
    if ternary:
        return (raw[6] >> 1 & 0xf) != 0xf and raw[0] != 0x5d
    return raw[0] & 0x7f != 0x38


def main():
    seen = set()
    for path in sys.argv[2:]:
        keep_all = path.startswith('+')
        for raw, text in instructions(path.lstrip('+'), sys.argv[1]):
            text = normalize(text)
            if incomplete(raw) or (shape(text) in seen and not keep_all):
                continue
            seen.add(shape(text))
            print(f'{raw.hex()}\t{text}')


main()
