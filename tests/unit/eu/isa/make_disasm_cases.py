"""Writes disassembler test cases: instructions of raw kernels, and the text of
Intel's iga64 (package libigc-tools) for each.

usage: make_disasm_cases.py GEN KERNEL... > disasm_genN.txt

Instructions that differ only in numbers give one case, the first; +KERNEL
keeps all instructions of KERNEL. A KERNEL that ends in .txt is an older
output. Instructions that iga64 calls an error are left out. A line is the
bytes in hexadecimal, a tab, and the text with single spaces.
"""
import re
import subprocess
import sys
import tempfile


def shape(text):
    text = re.sub(r'r\d+', 'r', text)
    text = re.sub(r'(?<=r)\.\d+', '', text)
    text = re.sub(r'0x[0-9A-F]+', '0x', text)
    text = re.sub(r'\(\d+\|M\d+\)', '', text)
    text = re.sub(r'f[01]\.[01]', 'f', text)
    text = re.sub(r'(index|surface) \d+', r'\1', text)
    text = re.sub(r'wr:\d+(h?)\+\d+, rd:\d+', r'wr\1', text)
    return re.sub(r'-?\d+(\.\d+)?(e[-+]\d+)?(?=[: ]|$)', '0', text)


def read(path):
    if path.endswith('.txt'):
        with open(path, encoding='ascii') as file:
            return b''.join(bytes.fromhex(line.split('\t')[0])
                            for line in file)
    with open(path, 'rb') as file:
        return file.read()


def instructions(data, gen):
    """Yields (bytes, text)."""
    with tempfile.NamedTemporaryFile(suffix='.bin') as file:
        file.write(data)
        file.flush()
        run = subprocess.run(
            ['iga64', '-d', f'-p={gen}', '-n', '-Xprint-pc',
             '--output-on-fail', file.name],
            capture_output=True, text=True, check=False)
    bad = {int(x, 16) for x in
           re.findall(r'^byte offset 0x(\w+): error', run.stderr, re.M)}
    lines = re.findall(r'^/\* \[([0-9A-F]+)\]  \*/ (.*)$', run.stdout, re.M)
    for offset, text in lines:
        start = int(offset, 16)
        length = 8 if data[start + 3] & 0x20 else 16
        if start not in bad:
            yield data[start:start + length], ' '.join(text.split())


def main():
    seen = set()
    for path in sys.argv[2:]:
        keep_all = path.startswith('+')
        for raw, text in instructions(read(path.lstrip('+')), sys.argv[1]):
            if raw in seen or (shape(text) in seen and not keep_all):
                continue
            seen |= {raw, shape(text)}
            print(f'{raw.hex()}\t{text}')


main()
