#!/usr/bin/env python3
"""Writes MPEG-2 streams that no encoder here makes: random pictures of every
kind of main profile.

usage: mpeg2_random.py CODES.csv SEED OUTPUT.m2v

A stream has frame or field pictures, all types of macroblocks and of motion
(16x8 and dual prime, too), concealment vectors, skipped macroblocks, several
slices a row, and any scan, quantiser, matrix, table of coefficients and
precision. Vectors stay in the picture, as the standard has it. ITU-T H.262.
"""
import random
import sys

I, P, B = 1, 2, 3
TOP, BOTTOM, FRAME = 1, 2, 3
QUANT, FORWARD, BACKWARD, PATTERN, INTRA = 1, 2, 4, 8, 16
TYPES = {I: 'type_i', P: 'type_p', B: 'type_b'}


def read_codes(path):
    codes = {}
    for raw in open(path):
        line = raw.split('#')[0].strip()
        if line:
            table, code, value = (c.strip() for c in line.split(','))
            codes.setdefault(table, {})[value] = code
    return codes


class Writer:
    def __init__(self):
        self.bits = []

    def put(self, value, count):
        if count:
            self.bits.append(format(value & ((1 << count) - 1),
                                    '0%db' % count))

    def code(self, text):
        self.bits.append(text)

    def start(self, value):
        used = sum(map(len, self.bits))
        self.bits = [''.join(self.bits) + '0' * (-used % 8)]
        self.put(0x100 | value, 32)

    def data(self):
        text = ''.join(self.bits)
        text += '0' * (-len(text) % 8)
        return int(text, 2).to_bytes(len(text) // 8, 'big')


class Stream:
    def __init__(self, codes, seed):
        self.codes, self.out = codes, Writer()
        self.any = random.Random(seed)
        self.width = self.any.randrange(33, 110)
        self.interlaced = self.any.random() < 0.8
        # Frames of interlaced sequences have an even number of rows; iHD takes
        # the height in whole macroblocks and drops a row that is beyond it.
        high = self.any.randrange(2, 4) * 2 if self.interlaced else \
            self.any.randrange(3, 7)
        self.height = high * 16 - self.any.randrange(16)
        self.columns = (self.width + 15) // 16
        self.frame_rows = high

    def chance(self, p):
        return self.any.random() < p

    def matrix(self):
        load = self.chance(0.5)
        self.out.put(load, 1)
        if load:
            for i in range(64):
                self.out.put(8 if i == 0 else self.any.randrange(4, 60), 8)

    def sequence(self):
        out = self.out
        out.start(0xb3)
        out.put(self.width, 12)
        out.put(self.height, 12)
        out.put(0x13, 8)  # square, 25 frames/s
        out.put(10000, 18)
        out.put(1, 1)
        out.put(100, 10)
        out.put(0, 1)
        self.matrix()
        self.matrix()
        out.start(0xb5)
        out.put(1, 4)
        out.put(0x48, 8)  # main profile, main level
        out.put(not self.interlaced, 1)
        out.put(1, 2)  # 4:2:0
        out.put(0, 4 + 12)
        out.put(1, 1)
        out.put(0, 8 + 1 + 2 + 5)

    def picture(self, kind, structure, order, first):
        """One frame, or one field."""
        out, any_ = self.out, self.any
        self.kind, self.structure = kind, structure
        self.frame = structure == FRAME
        self.second = not self.frame and not first
        self.rows = self.frame_rows if self.frame else self.frame_rows // 2
        self.f = [[15, 15], [15, 15]]
        self.concealment = self.chance(0.3)
        for s in range(2):
            if (kind >= P + s) or (s == 0 and self.concealment):
                self.f[s] = [any_.randrange(2, 6), any_.randrange(2, 6)]
        self.precision = any_.randrange(3)
        self.plain = self.frame and (not self.interlaced or self.chance(0.3))
        self.nonlinear = self.chance(0.5)
        self.intra_vlc = self.chance(0.5)
        out.start(0)
        out.put(order, 10)
        out.put(kind, 3)
        out.put(0xffff, 16)
        for _ in range(kind - 1):
            out.put(7, 4)
        out.put(0, 1)
        out.start(0xb5)
        out.put(8, 4)
        for s in range(2):
            for t in range(2):
                out.put(self.f[s][t], 4)
        out.put(self.precision, 2)
        out.put(structure, 2)
        out.put(self.top_first if self.frame else 0, 1)
        out.put(self.plain, 1)
        out.put(self.concealment, 1)
        out.put(self.nonlinear, 1)
        out.put(self.intra_vlc, 1)
        out.put(self.chance(0.5), 1)  # alternate scan
        out.put(0, 1)
        progressive = self.frame and not self.interlaced
        out.put(progressive, 1)
        out.put(progressive, 1)
        out.put(0, 1)
        for row in range(self.rows):
            self.slices(row)

    # ---- slices -----------------------------------------------------------

    def slices(self, row):
        self.row, column = row, 0
        while column < self.columns:
            left = self.columns - column
            count = left if self.chance(0.7) else self.any.randrange(1,
                                                                     left + 1)
            self.slice(column, count)
            column += count

    def slice(self, column, count):
        self.out.start(self.row + 1)
        self.quantiser(2, 20)
        self.out.put(0, 1)
        self.reset_dc()
        self.reset_vectors()
        self.last = 0
        skipped, first = column, True
        for i in range(column, column + count):
            self.column = i
            inside = not first and i < column + count - 1
            if inside and self.chance(0.3) and self.may_skip():
                skipped += 1
                self.reset_dc()
                if self.kind == P:
                    self.reset_vectors()
                continue
            self.increment(skipped + 1)
            skipped, first = 0, False
            self.macroblock()

    def quantiser(self, low, high):
        """Levels stay where decoders agree: what overflows 16 bits within an
        inverse DCT is cut by some and wrapped by others."""
        code = self.any.choice((low, self.any.randrange(low, high)))
        self.level_max = max(1, 200 * 16 // (60 * 2 * code))
        self.out.put(code, 5)

    def increment(self, value):
        while value > 33:
            self.out.code(self.codes['increment']['34'])
            value -= 33
        self.out.code(self.codes['increment'][str(value)])

    def reset_dc(self):
        self.dc = [128 << self.precision] * 3

    def reset_vectors(self):
        self.pmv = [[[0, 0], [0, 0]], [[0, 0], [0, 0]]]

    def may_skip(self):
        if self.kind == I or (self.kind == B and self.last & INTRA):
            return False
        if self.kind == P:
            return True
        return all(self.fits(self.pmv[0][s], not self.frame, 16, self.top(16))
                   for s in range(2) if self.last & (FORWARD << s))

    # ---- vectors ------------------------------------------------------------

    def top(self, lines):
        """The first line of the macroblock, in the frame or the field."""
        return self.row * lines

    def fits(self, v, field, lines, top):
        high = self.rows * 16 // (2 if self.frame and field else 1)
        x, y = 32 * self.column + v[0], 2 * top + v[1]
        return (0 <= x <= 2 * (self.columns * 16 - 16) and
                0 <= y <= 2 * (high - lines))

    def choose_vector(self, s, field, lines, top):
        for _ in range(20):
            v = []
            for t in range(2):
                most = min(16 << (self.f[s][t] - 1), 90)
                v.append(self.any.randrange(-most, most))
            if self.fits(v, field, lines, top):
                return v
        return [0, 0]

    def component(self, s, t, value, predicted):
        bits = self.f[s][t] - 1
        delta, span = value - predicted, 32 << bits
        delta = (delta + span // 2) % span - span // 2
        size, rest = 0, 0
        if delta:
            size = ((abs(delta) - 1) >> bits) + 1
            rest = (abs(delta) - 1) & ((1 << bits) - 1)
        self.out.code(self.codes['motion'][str(size)])
        if size:
            self.out.put(delta < 0, 1)
            self.out.put(rest, bits)

    def vector(self, r, s, v, halves, dmv):
        for t in range(2):
            half = halves and t == 1
            predicted = self.pmv[r][s][t] >> 1 if half else self.pmv[r][s][t]
            self.component(s, t, v[t], predicted)
            self.pmv[r][s][t] = v[t] * 2 if half else v[t]
            if dmv:
                self.out.code({0: '0', 1: '10', -1: '11'}[dmv[t]])

    def dual_vectors(self, v, dmv):
        found = []
        for parity in ((0, 1) if self.frame else (self.structure == BOTTOM,)):
            m = 1
            if self.frame and (parity == 0) != self.top_first:
                m = 3
            found.append([((v[0] * m + (v[0] > 0)) >> 1) + dmv[0],
                          ((v[1] * m + (v[1] > 0)) >> 1) + dmv[1] +
                          (1 if parity else -1)])
        return found

    def vectors(self, s, motion):
        whole = self.frame and motion == 2
        two = motion == (1 if self.frame else 2)
        halves = self.frame and not whole
        for r in range(1 + two):
            lines = 8 if two else 16
            top = self.top(8 if halves else 16)
            if two and not self.frame:
                top += 8 * r
            v = self.choose_vector(s, halves, lines, top)
            if not whole:
                self.out.put(self.any.randrange(2), 1)
            self.vector(r, s, v, halves, None)
        if not two:
            self.pmv[1][s] = list(self.pmv[0][s])

    def dual(self):
        v, dmv = self.dual_choice
        self.vector(0, 0, v, self.frame, dmv)
        self.pmv[1][0] = list(self.pmv[0][0])

    def may_dual(self):
        """Chooses vectors all of which are inside."""
        if self.kind != P:
            return False
        lines = 8 if self.frame else 16
        for _ in range(20):
            most = min(16 << (self.f[0][t] - 1) for t in range(2))
            v = [self.any.randrange(-min(most, 20), min(most, 20))
                 for t in range(2)]
            dmv = [self.any.randrange(-1, 2) for t in range(2)]
            if all(self.fits(w, self.frame, lines, self.top(lines))
                   for w in [v] + self.dual_vectors(v, dmv)):
                self.dual_choice = v, dmv
                return True
        return False

    # ---- macroblocks --------------------------------------------------------

    def macroblock(self):
        kinds = list(self.codes[TYPES[self.kind]].items())
        value, code = self.any.choice(kinds)
        kind = self.last = int(value)
        out = self.out
        out.code(code)
        motion = 2 if self.frame else 1
        if kind & (FORWARD | BACKWARD) and not self.plain:
            motion = self.any.randrange(1, 3)
            if not kind & BACKWARD and self.may_dual() and self.chance(0.5):
                motion = 3
            out.put(motion, 2)
        if self.frame and not self.plain and kind & (INTRA | PATTERN):
            out.put(self.chance(0.5), 1)
        if kind & QUANT:
            self.quantiser(1, 24)
        self.motion(kind, motion)
        pattern = 63 if kind & INTRA else 0
        if kind & PATTERN:
            pattern = self.any.randrange(1, 64)
            out.code(self.codes['pattern'][str(pattern)])
        if not kind & INTRA:
            self.reset_dc()
        for i in range(6):
            if pattern >> (5 - i) & 1:
                self.block(i, kind & INTRA)

    def motion(self, kind, motion):
        if motion == 3:
            self.dual()
        elif kind & FORWARD or (kind & INTRA and self.concealment):
            self.vectors(0, motion)
        if kind & BACKWARD:
            self.vectors(1, motion)
        if kind & INTRA and self.concealment:
            self.out.put(1, 1)
        elif kind & INTRA or (self.kind == P and not kind & FORWARD):
            self.reset_vectors()

    def block(self, index, intra):
        at = 0
        if intra:
            self.dc_value(index)
            at = 1
        table = self.codes['coefficient_%d' % bool(intra and self.intra_vlc)]
        first = not intra
        for _ in range(self.any.choice((0, 1, 1, 2, 3, 6, 20)) or first):
            run = min(self.any.choice((0, 0, 0, 1, 2, 5, 12, 31, 40)), 63 - at)
            level = min(self.any.choice((1, 1, 2, 3, 4, 6, 12, 18, 40)),
                        self.level_max)
            if at > 63:
                break
            self.coefficient(table, run, level, first)
            at += run + 1
            first = False
        self.out.code(table['end'])

    def coefficient(self, table, run, level, first):
        sign = self.any.randrange(2)
        key = '%d/%d' % (run, level)
        if first and key == '0/1':
            self.out.code('1')
            self.out.put(sign, 1)
        elif key in table and self.chance(0.95):
            self.out.code(table[key])
            self.out.put(sign, 1)
        else:
            self.out.code(table['escape'])
            self.out.put(run, 6)
            self.out.put(-level if sign else level, 12)

    def dc_value(self, index):
        component = 0 if index < 4 else index - 3
        most = (256 << self.precision) - 1
        value = max(0, min(most, self.dc[component] +
                           self.any.randrange(-60, 61)))
        diff = value - self.dc[component]
        self.dc[component] = value
        size = abs(diff).bit_length()
        table = self.codes['dc_chroma' if component else 'dc_luma']
        self.out.code(table[str(size)])
        self.out.put(diff if diff > 0 else diff + (1 << size) - 1, size)


def make(codes, seed):
    s = Stream(codes, seed)
    s.sequence()
    # Coded order, and the order they are shown in.
    plan = [(I, 0), (P, 3), (B, 1), (B, 2), (P, 4), (P, 7), (B, 5), (B, 6)]
    s.out.start(0xb8)
    s.out.put(1 << 12 | 1 << 6, 27)
    for kind, order in plan:
        if order == 4 and s.chance(0.5):
            kind = I
        fields = s.interlaced and s.chance(0.5)
        s.top_first = s.interlaced and s.chance(0.5)
        if not fields:
            s.picture(kind, FRAME, order, True)
            continue
        pair = (TOP, BOTTOM) if s.top_first else (BOTTOM, TOP)
        s.picture(kind, pair[0], order, True)
        # The second field of the first frame has nothing to copy.
        intra = kind == I and (order == 0 or s.chance(0.3))
        second = I if intra else max(kind, P)
        s.picture(second, pair[1], order, False)
    s.out.start(0xb7)
    return s.out.data()


def main():
    codes = read_codes(sys.argv[1])
    with open(sys.argv[3], 'wb') as f:
        f.write(make(codes, int(sys.argv[2])))


if __name__ == '__main__':
    main()
