#!/usr/bin/env python3
"""Writes baseline JPEG pictures that no encoder here makes.

usage: jpeg_random.py SEED OUTPUT.mjpeg

Random sizes, tables of any shape, restart intervals and every sampling that
the video engine knows. ITU-T T.81.
"""
import random
import struct
import sys

# Sampling factors of Y and of chroma, the format of ffmpeg's frames.
SAMPLINGS = {
    '4:2:0': ((2, 2), (1, 1), 'yuvj420p'),
    '4:2:2': ((2, 1), (1, 1), 'yuvj422p'),
    '4:2:2, 4 Y': ((2, 2), (1, 2), 'yuvj422p'),
    '4:4:4': ((1, 1), (1, 1), 'yuvj444p'),
    '4:4:0': ((1, 2), (1, 1), 'yuvj440p'),
    '4:1:1': ((4, 1), (1, 1), 'yuvj411p'),
    '4:0:0': ((1, 1), None, 'gray'),
}


def zigzag():
    """Raster places in coded order: diagonals that change direction."""
    places = []
    for d in range(15):
        line = [(y, d - y) for y in range(8) if 0 <= d - y < 8]
        places += line if d % 2 else line[::-1]
    return [y * 8 + x for y, x in places]


class Table:
    """A random prefix code; the code of ones alone is not used."""

    def __init__(self, any_, symbols):
        symbols = list(symbols)
        any_.shuffle(symbols)
        depths = [0]
        while len(depths) <= len(symbols):
            i = any_.randrange(len(depths))
            if depths[i] < 16:
                depths[i:i + 1] = [depths[i] + 1] * 2
        depths.sort()
        self.counts = [0] * 16
        self.symbols, self.codes = symbols, {}
        code = last = 0
        for symbol, depth in zip(symbols, depths):
            code <<= depth - last
            last = depth
            self.codes[symbol] = format(code, '0%db' % depth)
            self.counts[depth - 1] += 1
            code += 1

    def segment(self, where):
        return bytes([where] + self.counts + self.symbols)


class Picture:
    def __init__(self, any_, sampling, width, height):
        self.any = any_
        luma, chroma, _ = SAMPLINGS[sampling]
        self.width, self.height = width, height
        self.sampling = [luma] + ([chroma, chroma] if chroma else [])
        self.restart = any_.choice((0, 0, 1, 3, 7))
        self.matrices = [[any_.randrange(1, 24) for _ in range(64)]
                         for _ in range(2)]
        dc = range(9)
        ac = [0, 0xf0] + [run << 4 | size for run in range(16)
                          for size in range(1, 6)]
        self.tables = [(Table(any_, dc), Table(any_, ac)) for _ in range(2)]

    def value(self, size, value):
        if not size:
            return ''
        return format(value if value > 0 else value + (1 << size) - 1,
                      '0%db' % size)

    def block(self, component):
        dc, ac = self.tables[component > 0]
        table = 8 if not component else 6
        step = self.any.randrange(-30, 31) if self.any.random() < 0.7 else 0
        level = max(-60, min(60, self.dc[component] + step))
        diff = level - self.dc[component]
        self.dc[component] = level
        size = abs(diff).bit_length()
        out = dc.codes[size] + self.value(size, diff)
        at = 1
        for _ in range(self.any.choice((0, 0, 1, 3, table))):
            run = self.any.choice((0, 0, 1, 2, 4, 9, 17, 33))
            if at + run > 63:
                break
            out += ac.codes[0xf0] * (run // 16)
            size = self.any.choice((1, 1, 1, 2, 3, 4))
            level = self.any.randrange(1 << (size - 1), 1 << size)
            out += ac.codes[(run % 16) << 4 | size]
            out += self.value(size, self.any.choice((level, -level)))
            at += run + 1
        return out if at == 64 else out + ac.codes[0]

    def scan(self):
        across = -(-self.width // (8 * self.sampling[0][0]))
        down = -(-self.height // (8 * self.sampling[0][1]))
        out, text = b'', ''
        self.dc = [0] * 3
        for mcu in range(across * down):
            if self.restart and mcu and mcu % self.restart == 0:
                out += self.stuffed(text) + bytes(
                    [0xff, 0xd0 + (mcu // self.restart - 1) % 8])
                text, self.dc = '', [0] * 3
            for component, (h, v) in enumerate(self.sampling):
                for _ in range(h * v):
                    text += self.block(component)
        return out + self.stuffed(text)

    def stuffed(self, text):
        text += '1' * (-len(text) % 8)
        data = int(text, 2).to_bytes(len(text) // 8, 'big') if text else b''
        return data.replace(b'\xff', b'\xff\0')

    def marker(self, code, body):
        return struct.pack('>BBH', 0xff, code, len(body) + 2) + body

    def data(self):
        out = b'\xff\xd8'
        order = zigzag()
        for i, matrix in enumerate(self.matrices):
            out += self.marker(0xdb, bytes([i] + [matrix[p] for p in order]))
        count = len(self.sampling)
        body = struct.pack('>BHHB', 8, self.height, self.width, count)
        for i, (h, v) in enumerate(self.sampling):
            # Of one component, the factors mean nothing.
            body += bytes([i + 1, h << 4 | v, i > 0])
        out += self.marker(0xc0, body)
        for i, (dc, ac) in enumerate(self.tables):
            out += self.marker(0xc4, dc.segment(i))
            out += self.marker(0xc4, ac.segment(0x10 | i))
        if self.restart:
            out += self.marker(0xdd, struct.pack('>H', self.restart))
        body = bytes([count])
        for i in range(count):
            body += bytes([i + 1, 0x11 * (i > 0)])
        out += self.marker(0xda, body + bytes([0, 63, 0]))
        return out + self.scan() + b'\xff\xd9'


def make(sampling, seed):
    """A few pictures of one size."""
    any_ = random.Random(seed)
    width, height = any_.randrange(17, 150), any_.randrange(17, 100)
    return b''.join(Picture(any_, sampling, width, height).data()
                    for _ in range(3))


def main():
    seed = int(sys.argv[1])
    names = list(SAMPLINGS)
    with open(sys.argv[2], 'wb') as f:
        f.write(make(names[seed % len(names)], seed))


if __name__ == '__main__':
    main()
