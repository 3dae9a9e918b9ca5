#!/usr/bin/env python3
"""Writes math.txt.

A vector's bound is the precision that the ILK PRM promises (vol 4 part 1,
"Math"); its value comes from libm in double. Special cases and
integer division are exact. invm and rsqtm: correctly rounded with the
early-out flag set, which lets a caller skip the refinement."""
import math
import os
import random
from fractions import Fraction

import eu_float as fl
import eu_model
from eu_encode import Insn, Op, SIZE
from eu_values import bits_of, region
from eu_write import VectorFile

HERE = os.path.dirname(os.path.abspath(__file__))
DST, A, B = 100, 20, 24
INF, NAN = float("inf"), float("nan")

BOUNDS = {"inv": "ulp=1", "sqt": "ulp=1", "rsqt": "ulp=1", "fdiv": "ulp=2.5",
          "log": "rel=0x1p-21", "exp": "rel=0x1p-21", "pow": "rel=0x1p-15",
          "sin": "abs=0.0008", "cos": "abs=0.0008"}


def value(bits, t):
    kind, sign, x = fl.decode(bits, t)
    if kind == "nan":
        return NAN
    v = INF if kind == "inf" else float(x)
    return -v if sign else v


def to_bits(x, t):
    if math.isnan(x):
        return None
    if math.isinf(x):
        return fl.encode(("inf", int(x < 0), None), t)
    return fl.encode(fl.finite(Fraction(x), int(math.copysign(1, x) < 0)), t)


def power(x, y):
    """|x|^y; NaN where logarithm and product have no value."""
    x = abs(x)
    if math.isnan(x) or math.isnan(y):
        return NAN
    if y == 0:
        return NAN if x == 0 or math.isinf(x) else 1.0
    if x == 0:
        return 0.0 if y > 0 else INF
    if math.isinf(y):
        return NAN if x == 1 else INF if (x > 1) == (y > 0) else 0.0
    if math.isinf(x):
        return INF if y > 0 else 0.0
    try:
        return x ** y
    except OverflowError:
        return INF


def function(fn, x, y=0.0):
    if math.isnan(x):
        return NAN
    if fn == "inv":
        return math.copysign(INF, x) if x == 0 else 1 / x
    if fn == "log":
        if x == 0:
            return -INF
        return NAN if x < 0 else INF if x == INF else math.log2(x)
    if fn == "exp":
        return INF if x > 1000 else 0.0 if x < -1000 else 2.0 ** x
    if fn == "sqt":
        return x if x == 0 else NAN if x < 0 else math.sqrt(x)
    if fn == "rsqt":
        if x == 0:
            return math.copysign(INF, x)
        return NAN if x < 0 else 0.0 if x == INF else 1 / math.sqrt(x)
    if fn in ("sin", "cos"):
        if math.isinf(x):
            return NAN
        return math.sin(x) if fn == "sin" else math.cos(x)
    if fn == "fdiv":
        if math.isnan(y):
            return NAN
        if y == 0 or math.isinf(x):
            if x == 0 or math.isinf(x) and math.isinf(y):
                return NAN
            return math.copysign(INF, x) * math.copysign(1, y)
        return x / y
    return power(x, y)


def results(i):
    """Returns an expect function for math's destination."""
    def expect(s):
        t = i.dst.type
        for c in range(i.n):
            if not eu_model.enabled(s, i, c) or \
                    not eu_model.predicate(s, i, c):
                continue
            v = [value(operand(s, i, o, c), o.type) for o in i.srcs
                 if o.reg != "null" or o.imm is not None]
            x = function(i.fn, *v)
            if i.sat:
                x = 0.0 if math.isnan(x) or x <= 0 else min(x, 1.0)
            bits = to_bits(x, t)
            if bits is not None and not s.cr0 & 0x80 and t == "F" and \
                    fl.is_denormal(bits, t):
                bits &= 1 << 31
            eu_model.put(s, i, c, bits)
    return expect


def operand(s, i, o, c):
    bits = eu_model.fetch(s, i, o, c)
    top = 1 << (SIZE[o.type] * 8 - 1)
    if o.abs:
        bits &= ~top
    if o.neg:
        bits ^= top
    if o.type == "F" and not s.cr0 & 0x80 and fl.is_denormal(bits, "F"):
        bits &= top
    return bits


def add(f, fn, srcs, dst="F", n=8, bound=None, **k):
    stride = 2 if any(o.type == "HF" for o in srcs) and dst == "HF" else 1
    if len(srcs) == 1 and srcs[0].imm is None:
        srcs = srcs + [Op("null", srcs[0].type, 0, (0, 1, 0))]
    i = Insn("math", Op(DST, dst, hstride=stride), srcs, n, fn=fn, **k)
    f.add(i, expect=results(i), bound=bound or BOUNDS[fn])
    return i


def src(reg, t="F", n=8, **k):
    return Op(reg, t, 0, region(t, n), **k)


DOMAIN = {
    "inv": lambda r: r.choice((-1, 1)) * 2 ** r.uniform(-120, 120),
    "log": lambda r: 2 ** r.uniform(-125, 127),
    "exp": lambda r: r.uniform(-125, 127),
    "sqt": lambda r: 2 ** r.uniform(-125, 127),
    "rsqt": lambda r: 2 ** r.uniform(-125, 127),
    "sin": lambda r: r.uniform(-100, 100) * math.pi,
    "cos": lambda r: r.uniform(-100, 100) * math.pi,
    "fdiv": lambda r: r.choice((-1, 1)) * 2 ** r.uniform(-60, 60),
    "pow": lambda r: r.choice((-1, 1)) * 2 ** r.uniform(-8, 8),
}
SPECIAL = [INF, -INF, 0.0, -0.0, NAN, 1.0, -1.0, 2.0]
NEAR = [1.0000001192092896, 0.9999999403953552, 0.5, 4.0, 3.0, 1.5, 0.75,
        1.1754943508222875e-38]


def floats(f):
    r = random.Random(9)
    for fn, domain in DOMAIN.items():
        for turn in range(6):
            a = [bits_of(domain(r), "F") for _ in range(16)]
            b = [bits_of(r.uniform(-10, 10), "F") for _ in range(16)]
            f.group("%s, %d" % (fn, turn), [(A, 4, a), (B, 4, b)],
                    f=(0x5ac3, 0))
            two = [src(B, n=16)] if fn in ("fdiv", "pow") else []
            add(f, fn, [src(A, n=16)] + two, n=16)
        both = lambda n=8: [src(A, n=n)] + (
            [src(B, n=n)] if fn in ("fdiv", "pow") else [])
        modifiers(f, fn, both)
        specials(f, fn)


def modifiers(f, fn, both):
    """In the last group of random operands."""
    for k in ({"sat": True}, {"pred": "seq"}, {"pred": "seq", "inv": True},
              {"nomask": True}, {"chan": 8}, {"chan": 16}, {"chan": 24},
              {"pred": "seq", "flag": 1}, {"pred": "seq", "flag": 2},
              {"pred": "seq", "flag": 3}):
        add(f, fn, both(), **k)
    for n in (1, 2, 4):
        add(f, fn, both(n), n=n)
    add(f, fn, both(4), n=4, chan=4)
    for j in range(len(both())):
        for k in ({"neg": True}, {"abs": True}, {"neg": True, "abs": True}):
            s = both()
            s[j] = src(A if j == 0 else B, **k)
            add(f, fn, s)
    s = both()
    s[0] = Op(A, "F", 8, (0, 1, 0))
    add(f, fn, s)
    imm = Op(type="F", imm=bits_of(2.5, "F"))
    add(f, fn, [src(A), imm] if len(both()) == 2 else [imm])


def specials(f, fn):
    a = [to_bits(x, "F") or 0x7fc00000 for x in SPECIAL + NEAR]
    f.group("%s, special values" % fn, [(A, 4, a)])
    if fn not in ("fdiv", "pow"):
        s = [src(A, n=16)]
        add(f, fn, s, n=16)
        # Denormals count as zero when they are flushed.
        f.group("%s, denormals flushed" % fn,
                [(A, 4, [1, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000,
                         0x3f800000, 0, 0x80000000])], cr0=0x440)
        add(f, fn, [src(A)])
        return
    bases = [0.0, 1.0, INF, 2.0, 0.5, -2.0, NAN, 3.0]
    for y in (0.0, INF, -INF, 1.0, -1.0, 3.0, NAN):
        if fn == "fdiv" and y == 3.0:
            continue
        f.group("%s by %s" % (fn, y), [
            (A, 4, [to_bits(x, "F") or 0x7fc00000 for x in bases]),
            (B, 4, [to_bits(y, "F") or 0x7fc00000] * 8)])
        add(f, fn, [src(A), src(B)])


def halves(f):
    a = [bits_of(x, "HF") for x in (1, 0.5, 2.5, 3, 10, 0.125, 7, 0.75)]
    b = [bits_of(x, "HF") for x in (2, 3, 0.5, -1, 1.5, -2, 0.25, 4)]
    f.group("half precision", [(A, 2, [x for v in a for x in (v, 0)]),
                               (B, 2, [x for v in b for x in (v, 0)]),
                               (A + 1, 4, [bits_of(x, "F") for x in
                                           (1, 2, 3, 4, 5, 6, 7, 8)])])

    def half(reg):
        return Op(reg, "HF", 0, (16, 8, 2))
    for fn in DOMAIN:
        two = [half(B)] if fn in ("fdiv", "pow") else []
        wide = "abs=0.0013" if fn in ("sin", "cos") else \
            "rel=0x1p-10" if fn in ("log", "exp", "pow") else "ulp=1"
        add(f, fn, [half(A)] + two, "HF", bound=wide)
        add(f, fn, [half(A)] + two, "F")
        add(f, fn, [src(A + 1)] + two, "HF", bound=wide)
        if two:
            add(f, fn, [half(A), src(A + 1)], "HF", bound=wide)


def divide(n, d, signed):
    if d == 0:
        q = 0xffffffff if not signed else 0x7fffffff if n >= 0 else 0x80000000
        return q, q
    q = abs(n) // abs(d)
    if (n < 0) != (d < 0):
        q = -q
    return q, n - q * d


def division(f):
    n = [0, 1, 7, 0x7fffffff, 0x80000000, 0xffffffff, 100, 0xffffff9c]
    d = [1, 0, 3, 0xffffffff, 0xffffffff, 2, 0xfffffff9, 7]
    other = [0x12345678, 0xfedcba98, 0, 0x80000000, 10, 5, 0x80000001, 3]
    by = [0x1234, 0xffff, 0, 0, 10, 0x80000000, 0xffffffff, 0]
    f.group("integer division", [(A, 4, n + other), (B, 4, d + by)],
            f=(0xa5, 0))
    for t in ("UD", "D"):
        for fn in ("iqot", "irem", "idiv"):
            for at, k in ((0, {}), (1, {}), (0, {"pred": "seq"}),
                          (1, {"pred": "seq", "inv": True})):
                i = Insn("math", Op(DST, t), [src(A + at, t), src(B + at, t)],
                         8, fn=fn, **k)
                f.add(i, expect=quotients(i, t))
        for fn in ("iqot", "irem"):
            i = Insn("math", Op(DST, t), [src(A, t, 16), src(B, t, 16)], 16,
                     fn=fn)
            f.add(i, expect=quotients(i, t))
            i = Insn("math", Op(DST, t), [src(A, t),
                                          Op(type=t, imm=0xfffffff5)], 8,
                     fn=fn)
            f.add(i, expect=quotients(i, t))
    # IGC means a signed division by it.
    for fn in ("iqot", "irem"):
        i = Insn("math", Op(DST, "D"), [src(A, "UD", 16), src(B, "UD", 16)],
                 16, fn=fn)
        f.add(i, expect=quotients(i, "D"))


def quotients(i, t):
    def expect(s):
        for c in range(i.n):
            if not eu_model.predicate(s, i, c):
                continue
            n, d = [eu_model.to_int(eu_model.fetch(s, i, o, c), t)
                    for o in i.srcs]
            q, r = divide(n, d, t == "D")
            if i.fn == "idiv":
                eu_model.put(s, i, c, q & 0xffffffff)
                s.store((DST + 1) * 32 + c * 4, 4, r & 0xffffffff)
            else:
                eu_model.put(s, i, c, (q if i.fn == "iqot" else r) &
                             0xffffffff)
    return expect


def root(x):
    """Correctly rounded by comparing squares, in 200 bits."""
    kind, sign, m = x
    if kind == "nan" or sign and not (kind == "fin" and m == 0):
        return fl.NAN
    if kind == "inf" or m == 0:
        return x
    scale = 1 << 2200
    n = math.isqrt(m.numerator * scale * scale // m.denominator)
    exact = n * n * m.denominator == m.numerator * scale * scale
    # A sticky bit stands for what the square root left over.
    return fl.finite(Fraction(2 * n + (0 if exact else 1), 2 * scale))


def macros(f):
    for t in ("F", "DF"):
        top = 1 << (SIZE[t] * 8 - 1)
        a = [bits_of(x, t) for x in (1, 2, -10, 355, 0.1, 7, 0, 1e30)]
        b = [bits_of(x, t) for x in (3, -7, 0.3, 113, 1e-5, 0, 0, 1e-30)]
        if t == "F":
            b[7] = bits_of(3e-5, t)
        f.group("macros of " + t, [(A, SIZE[t], a), (B, SIZE[t], b)],
                f=(0x5a00, 0xa5a5))
        n = 8 if t == "F" else 4
        for at in range(0, 8 if t == "DF" else 1, 4):
            for k in ({}, {"pred": "seq", "flag": 1}, {"flag": 2},
                      {"pred": "seq", "inv": True, "flag": 3}):
                macro(f, t, n, at, "invm", **k)
                macro(f, t, n, at, "rsqtm", **k)


def macro(f, t, n, at, fn, **k):
    def operand(reg):
        return Op(reg + at * SIZE[t] // 32, t, 0, (2 if t == "DF" else 4, 4,
                                                  1), mme=8)
    srcs = [operand(A), operand(B)]
    if fn == "rsqtm":
        srcs[1] = Op("null", t, 0, (4, 4, 1), mme=8)
    i = Insn("math", Op(DST, t, mme=8), srcs, n, fn=fn, align16=True, **k)

    def expect(s):
        for c in range(n):
            if not eu_model.predicate(s, i, c):
                continue
            v = [fl.decode(s.load((o.reg * 32) + c * SIZE[t], SIZE[t]), t)
                 for o in srcs if o.reg != "null"]
            x = fl.div(*v) if fn == "invm" else root(v[0])
            bits = fl.encode(x, t)
            s.store(DST * 32 + c * SIZE[t], SIZE[t],
                    eu_model.NAN_BITS[t] if bits is None else bits,
                    "nan" if bits is None else None)
        before = list(s.f)
        for c in range(n):
            b = 16 * (i.flag & 1) + c
            if not i.pred or bool(before[i.flag >> 1] >> b & 1) != i.inv:
                s.f[i.flag >> 1] |= 1 << b
    f.add(i, expect=expect)


def alternate(f):
    """cr0 bit 0: no infinities, and roots and logarithms of |x|."""
    big = 0x7f7fffff
    a = [bits_of(x, "F") for x in (0, -0.0, 4, -4, 3e38, -3e38, 1, -8)]
    a[1] = 0x80000000
    f.group("alternate mode", [(A, 4, a)], cr0=0x4c1)

    def known(i, values):
        def expect(s):
            for c, v in enumerate(values):
                if v is not None:
                    s.store(DST * 32 + c * 4, 4, v)
                else:
                    s.store(DST * 32 + c * 4, 4, 0, "any")
        f.add(i, expect=expect, bound="rel=0x1p-21")

    d = Op(DST, "F")
    none = Op("null", "F", 0, (0, 1, 0))

    def b(*xs):
        return [x if isinstance(x, int) and x > 9 or x is None else
                bits_of(x, "F") for x in xs]
    known(Insn("add", d, [src(A), src(A)]),
          b(0.0, 0x80000000, 8.0, -8.0, big, big | 1 << 31, 2.0, -16.0))
    known(Insn("math", d, [src(A), none], fn="inv"),
          b(big, big | 1 << 31, 0.25, -0.25, None, None, 1.0, -0.125))
    known(Insn("math", d, [src(A), none], fn="log"),
          b(None, None, 2.0, 2.0, None, None, 0.0, 3.0))
    known(Insn("math", d, [src(A), none], fn="sqt"),
          b(0.0, None, 2.0, 2.0, None, None, 1.0, None))
    known(Insn("math", d, [src(A), none], fn="rsqt"),
          b(big, None, 0.5, 0.5, None, None, 1.0, None))


def main():
    f = VectorFile(os.path.join(HERE, "math.txt"),
                   "Generated by make_math.py. Bounds are the PRM's.")
    floats(f)
    halves(f)
    division(f)
    macros(f)
    alternate(f)
    f.write()


main()
