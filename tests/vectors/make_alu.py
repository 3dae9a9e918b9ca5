#!/usr/bin/env python3
"""Writes the vectors of all computing instructions, walking opcodes.csv.

Run by hand when the table or the model changes; the tests need the .txt
files only."""
import os
import sys

import eu_float as fl
from eu_encode import (CMODS, FLOATS, Insn, Op, SIGNED, SIZE, TERNARY,
                       TERNARY_TYPES)
from eu_values import (SLOT, bits_of, columns, inputs, region, src, tame_inputs,
                       tame_src)
from eu_write import VectorFile

HERE = os.path.dirname(os.path.abspath(__file__))
CLASSES = {"BWD": ["UB", "B", "UW", "W", "UD", "D"],
           "WD": ["UW", "W", "UD", "D"], "Q": ["UQ", "Q"]}
DST = 100
LOGIC = ("not", "and", "or", "xor")

FILES = {
    "move": ["mov", "movi", "sel"],
    "logic": ["not", "and", "or", "xor"],
    "shift": ["shl", "shr", "asr"],
    "compare": ["cmp", "cmpn", "csel"],
    "add": ["add", "avg"],
    "mul": ["mul"],
    "round": ["frc", "rndu", "rndd", "rnde", "rndz"],
    "bits": ["bfrev", "bfe", "bfi1", "bfi2", "lzd", "fbh", "fbl", "cbit"],
    "mad": ["mad", "madm", "lrp"],
    "acc": ["mac", "mach", "addc", "subb", "sad2", "sada2"],
    "vector": ["dp4", "dph", "dp3", "dp2", "line", "pln"],
}

# Where the order of roundings is open, or inputs must not overflow.
TAME_OPS = ("lrp", "mac", "dp4", "dph", "dp3", "dp2", "line", "pln")


def expand(text):
    out = []
    for name in text.split("+"):
        out += CLASSES.get(name, [name])
    return out


def read_table():
    """name -> (source count, capabilities, [(dst types, src types)])"""
    table = {}
    path = os.path.join(HERE, "../../src/eu/isa/opcodes.csv")
    for line in open(path):
        f = line.strip().split(",")
        if line.startswith("#") or len(f) < 7:
            continue
        rules = []
        for rule in f[6].split(";"):
            if "<-" in rule:
                d, s = rule.split("<-")
                rules.append((expand(d), expand(s)))
        table[f[1]] = (int(f[3]), f[4], rules)
    return table


TABLE = read_table()


def dst_op(i_op, t, srcs, n, **k):
    """A destination whose stride the types ask for."""
    wide = max([SIZE[s.type] for s in srcs] + [2])
    if wide == 2 and SIZE[t] == 1 and i_op == "mov" and \
            not any(s.neg or s.abs for s in srcs):
        wide = 1
    if i_op in TERNARY:
        return Op(DST, t, **k)
    floats = [s.type in FLOATS for s in srcs]
    if t == "HF" and not any(floats) or SIZE[t] <= 2 and "HF" in \
            [s.type for s in srcs] and t not in FLOATS:
        wide = max(wide, 4)
    stride = max(1, min(4, wide // SIZE[t]))
    return Op(DST, t, hstride=stride, **k)


class Case:
    """Makes instructions of one opcode and one type rule."""

    def __init__(self, op, dst, types):
        self.op, self.dst, self.types = op, dst, types
        self.turn = 0

    def source(self, n, count, first, **k):
        t = self.types[n]
        tame = t in FLOATS and (self.op in TAME_OPS or self.mixed())
        if self.op == "madm":
            k["mme"] = 8
        column = "AB"[n % 2]
        if self.op in TERNARY:
            make = tame_src if tame else src
            column = "A" if n != 1 else "B"
            first = 8 if n == 2 and count == 8 and t != "DF" else first
            return make(t, column, first, count, **k)
        return (tame_src if tame else src)(t, column, first, count, **k)

    def mixed(self):
        s = set(self.types) | {self.dst}
        return "HF" in s and "F" in s and self.op not in ("mov", "sel", "cmp",
                                                          "cmpn")

    def make(self, n=8, first=None, mods=None, **k):
        if first is None:
            first = 8 * (self.turn & 1)
            self.turn += 1
        mods = mods or {}
        srcs = [self.source(j, n, first, **mods.get(j, {}))
                for j in range(len(self.types))]
        d = dst_op(self.op, self.dst, srcs, n)
        d.mme = 8 if self.op == "madm" else None
        if self.op in ("cmp", "cmpn", "csel"):
            k.setdefault("cmod", "g" if self.op == "cmp" else "ge")
        if self.op == "line":
            srcs[0].region = (0, 1, 0)
            srcs[0].sub = 16 * (first // 4 % 2)
        if self.op == "pln":
            srcs[0].region = (0, 1, 0)
            srcs[0].sub = 16 * (first // 4 % 2)
            srcs[1].sub = 0
        if self.op in ("addc", "subb"):
            k.setdefault("acc", True)
        if self.op == "sel" and "cmod" not in k and "pred" not in k:
            k["pred"] = "seq"
        return Insn(self.op, d, srcs, n, **k)


def surround(i):
    """Adds instructions that set an accumulator before i and show it after."""
    t = i.dst.type
    n, chan = i.n, i.chan
    float_acc = t in FLOATS
    common = {"n": n, "chan": chan, "nomask": True}
    acc_reg = "acc1" if float_acc and chan == 8 and t == "F" else "acc0"
    before, after = [], []
    if i.op in ("mac", "sada2"):
        at = t if float_acc or t in ("W", "UW") else "D"
        if float_acc and any(s.type == "F" for s in i.srcs):
            at = "F"
        value = tame_src(at, "A", 0, n) if float_acc else src(at, "A", 8, n)
        before = [Insn("mov", Op(acc_reg, at), [value], **common)]
    elif i.op == "mach":
        low = Op(i.srcs[1].reg, "UW", i.srcs[1].sub, (16, 8, 2))
        before = [Insn("mul", Op("acc0", i.srcs[0].type), [i.srcs[0], low],
                       **common)]
    if i.op in ("addc", "subb"):
        before = [Insn("mov", Op("acc0", "UD"), [src("UD", "A", 0, n)],
                       **common)]
        after = [Insn("mov", Op(DST + 4, "UD"), [Op("acc0", "UD")], **common)]
    return before + [i] + after


def type_cases(op):
    """Every pair of destination and source types, and of two sources'."""
    count, caps, rules = TABLE[op]
    for dsts, srcs in rules:
        for x, d in enumerate(dsts):
            for y, s in enumerate(srcs):
                if op == "movi" or count == 1 or op in TERNARY and \
                        len(srcs) < 2:
                    types = [s] * count
                elif op in TERNARY:
                    types = [s, srcs[(x + y) % len(srcs)], s] if \
                        "HF" in srcs else [s] * 3
                else:
                    types = [s, srcs[(x + y) % len(srcs)]]
                yield Case(op, d, types)


def shift_cases():
    """Counts of every type beside sources that have no sign."""
    for dsts, srcs in TABLE["shr"][2]:
        for s0 in srcs:
            for n, s1 in enumerate(srcs):
                if s0[0] != "U":
                    continue
                yield Case("shr", dsts[n % len(dsts)], [s0, s1])
        for d in dsts:
            for s1 in srcs:
                yield Case("shr", d, ["UQ" if "UQ" in srcs else "UD", s1])


def one_case(op, rule, turn=0):
    count, caps, rules = TABLE[op]
    dsts, srcs = rule
    d = dsts[turn % len(dsts)]
    s = srcs[turn % len(srcs)]
    if op in ("not", "shr"):
        # Narrower sources are open: the same type is not.
        s = d if d in srcs else {"UQ": "UD", "Q": "D"}.get(d, s)
        s = s if op == "not" else {"W": "UW", "B": "UB"}.get(s, s)
        if op == "not" and SIZE[s] < SIZE[d]:
            s = "D"
    types = [s] * count
    if count == 2 and len(srcs) > 1 and op != "shr":
        types[1] = srcs[(turn + 1) % len(srcs)]
    if op in ("mach", "bfe", "bfi1", "bfi2"):
        types = [d if d in srcs else s] * count
    if op in TERNARY and "HF" in srcs and "F" in srcs:
        types = [["F", "HF", "F"], ["HF", "F", "F"]][turn % 2]
    return Case(op, d, types)


def modifiers(op):
    """Keyword sets for Case.make, one per modifier class."""
    count, caps, rules = TABLE[op]
    for inv in (False, True):
        if "P" in caps and op != "movi" or op == "movi":
            yield {"pred": "seq", "inv": inv}
    if "S" in caps:
        yield {"sat": True}
        if op == "sel":
            yield {"sat": True, "cmod": "ge"}
    if "C" in caps:
        for c in CMODS:
            if c and not (op == "sel" and c not in ("g", "ge", "l", "le")):
                yield {"cmod": c}
    if "M" in caps or "L" in caps:
        for j in range(count):
            if op == "line" and j == 0 or op == "pln":
                continue
            yield {"mods": {j: {"neg": True}}}
            yield {"mods": {j: {"abs": True}}}
            yield {"mods": {j: {"neg": True, "abs": True}}}


def immediate(t):
    """Awkward immediates of a type."""
    if t in FLOATS:
        return bits_of(-1.5, t)
    return {"UW": 0x8003, "W": 0x8003, "UD": 0x80000021, "D": 0xfffffff5,
            "UQ": 0x8000000012345678, "Q": 0xfffffffffffffff3}[t]


def with_immediate(i, t, value=None):
    i.srcs[-1] = Op(type=t, imm=immediate(t) if value is None else value)
    if i.op == "mov":
        i.dst = dst_op(i.op, i.dst.type, i.srcs, i.n)
    return i


def immediates(f, op, case):
    count, caps, rules = TABLE[op]
    t = case.types[-1]
    if op in TERNARY or op in ("pln", "movi") or t in ("UB", "B"):
        return
    if SIZE[t] == 8 and op != "mov":
        return
    if op == "mach":
        return
    f.add(*surround(with_immediate(case.make(), t)))


def packed(f, op):
    """V, UV and VF: packed immediates, whose elements repeat."""
    count, caps, rules = TABLE[op]
    for t, value in (("V", 0x8f17c2e0), ("UV", 0x8f17c2e0),
                     ("VF", 0x30c80048)):
        plain = {"V": "W", "UV": "UW", "VF": "F"}[t]
        for dsts, srcs in rules:
            if plain in srcs and op not in TERNARY and \
                    op not in ("pln", "movi", "sad2", "sada2"):
                d = plain if plain in dsts else dsts[0]
                case = Case(op, d, [plain] * count)
                f.add(*surround(with_immediate(case.make(), t, value)))
                if t != "VF" and op == "mov":
                    f.add(with_immediate(case.make(n=16, first=0), t, value))
                break


def shapes(f, op):
    """Execution sizes, quarters, masks, flags, regions: once per opcode."""
    count, caps, rules = TABLE[op]
    case = one_case(op, rules[0], 4)
    if "F" in rules[0][1]:
        case = one_case(op, rules[0])
    group_of_4 = op in ("dp4", "dph", "dp3", "dp2")
    for n in (1, 2, 4, 16, 32):
        widest = max(SIZE[t] for t in case.types + [case.dst])
        if op in TERNARY and n == 32 or n * widest > 64:
            continue
        if n > 8 and op in TABLE_ACC[:4] and "F" not in case.types or \
                n > 16 and op == "sada2":
            continue
        if group_of_4 and n < 4 or op in ("sad2", "sada2") and n < 2 or \
                op == "pln" and n < 8:
            continue
        f.add(*surround(case.make(n=n, first=0)))
    if op not in TERNARY and not group_of_4 and op not in (
            "pln", "sad2", "sada2"):
        small = [(d, s) for d, s in rules if "UB" in s and "UB" in d and
                 op not in TABLE_ACC]
        if small and op != "movi":
            c = Case(op, "UB", ["UB"] * count)
            f.add(*surround(narrow(c.make(n=32, first=0))))
    for chan in (8, 16, 24):
        f.add(*surround(case.make(chan=chan, cmod="nz") if "C" in caps
                        and op not in ("sel", "mul") else
                        case.make(chan=chan)))
    if op != "pln":
        f.add(*surround(case.make(n=4, first=0, chan=4)))
    f.add(*surround(case.make(n=16 if op in TERNARY and case.dst != "DF" else
                              8, first=0, chan=16 if op in TERNARY else 8,
                              nomask=True)))
    if "P" in caps:
        for flag in (1, 2, 3):
            f.add(*surround(case.make(pred="seq", flag=flag)))
    if "C" in caps:
        with_float = one_case("mul", (["F"], ["F"])) if op == "mul" else case
        for flag in (1, 2, 3):
            f.add(*surround(with_float.make(cmod="le", flag=flag)))
    null_destination(f, op, case, caps)
    if op in TERNARY:
        if op != "madm":
            ternary_shapes(f, op, case)
        return
    basic_shapes(f, op, case)


def narrow(i):
    """32 bytes into 32 bytes at a stride of 2."""
    for s in i.srcs:
        s.region = (16, 16, 1)
        s.sub = 0
    i.dst.hstride = 2
    if i.op == "mov" and not i.sat:
        i.dst.hstride = 1
    return i


def null_destination(f, op, case, caps):
    if op in TERNARY or "C" not in caps:
        return
    if op == "mul":
        case = one_case(op, (["F"], ["F"]))
    i = case.make(cmod="ge")
    i.dst.reg = "null"
    f.add(*surround(i))


def ternary_shapes(f, op, case):
    size = SIZE[case.types[0]]
    if size == 4:
        for j in range(3):
            i = case.make()
            i.srcs[j].rep = True
            i.srcs[j].sub = 4 * (j + 1)
            f.add(i)
        i = case.make()
        for s, swz in zip(i.srcs, ("wzyx", "xxzz", "yyww")):
            s.swz = swz
        f.add(i)
        i = case.make()
        i.dst.mask = "xw"
        f.add(i)


def basic_shapes(f, op, case):
    grouped = op in ("line", "pln")
    if not grouped and op not in ("mach", "movi"):
        for reg in ((0, 1, 0), (0, 2, 1), (1, 4, 1), (2, 4, 0), (16, 8, 2),
                    (4, 2, 2), (1, 1, 0)):
            i = case.make(first=0)
            i.srcs[0].region = reg
            i.srcs[0].sub = SIZE[i.srcs[0].type]
            f.add(*surround(i))
        i = case.make()
        i.srcs[-1].region = (0, 1, 0)
        i.srcs[-1].sub = 0
        f.add(*surround(i))
    for stride in (1, 2, 4):
        if SIZE[case.dst] * stride * 8 <= 64 and stride > 1:
            i = case.make()
            i.dst.hstride = stride
            f.add(*surround(i))
    if op == "pln":
        return
    indirect(f, op, case)
    if op == "line":
        for reg in ((2, 4, 0), (1, 4, 1)):
            i = case.make(first=0)
            i.srcs[1].region = reg
            f.add(*surround(i))
        return
    words = {"mac": ("F", "F"), "cbit": ("UD", "UD"), "mach": ("D", "D")}
    if op in words:
        d, t = words[op]
        case = Case(op, d, [t] * count_of(op))
    if op not in ("movi", "sad2", "sada2") and not grouped:
        align16(f, op, case)


def count_of(op):
    return TABLE[op][0]


def indirect(f, op, case):
    """a0.0 points to the first value of column A, a0.1 into it, a0.8 on to
    one address per channel; a0.2 is the destination."""
    size = SIZE[case.types[0]]
    if op in ("movi", "line", "mach"):
        return
    i = case.make(first=0)
    i.srcs[0] = Op(type=case.types[0], addr=(4, -size), region=(4, 4, 1))
    f.add(*surround(i))
    i = case.make(first=0)
    i.srcs[0] = Op(type=case.types[0], addr=(4, 4 * size),
                   region=("vxh", 4, 1))
    f.add(*surround(i))
    i = case.make(first=0)
    i.srcs[0] = Op(type=case.types[0], addr=(8, 16), region=("vxh", 1, 0))
    f.add(*surround(i))
    i = case.make(first=0)
    i.dst.addr = (2, 32)
    f.add(*surround(i))


def align16(f, op, case):
    t = case.types[0]
    if SIZE[t] != 4 or SIZE[case.dst] != 4:
        return
    for swz, mask in (("xyzw", "xyzw"), ("yxwz", "xz"), ("wwzz", "yzw")):
        i = case.make(first=0)
        i.align16 = True
        for s in i.srcs:
            s.region = (4, 4, 1)
            s.sub = 0
        i.srcs[0].swz = swz
        i.dst.mask = mask
        i.dst.hstride = 1
        if mask != "xyzw":
            i.cmod = "" if op not in ("cmp", "cmpn") else i.cmod
        f.add(*surround(i))
    i = case.make(first=0, pred="z" if op != "sel" else "y", inv=True)
    i.align16 = True
    for s in i.srcs:
        s.region = (4, 4, 1)
        s.sub = 0
    i.dst.hstride = 1
    f.add(*surround(i))


def accumulators(f, op):
    """Explicit accumulator operands and AccWrEn, floats and dwords."""
    count, caps, rules = TABLE[op]
    if op in ("mac", "mach"):
        t = "F" if op == "mac" else "D"
        case = Case(op, t, [t, t])
        f.add(*surround(case.make(first=0, acc=True)),
              Insn("mov", Op(DST + 2, t), [Op("acc0", t)], nomask=True))
    if op in TERNARY or op in TABLE_ACC[:6] or op in ("movi", "pln"):
        return
    for t in ("F", "D", "W", "UD"):
        if t == "UD" and op != "cbit":
            continue
        if not any(t in d and t in s for d, s in rules):
            continue
        case = Case(op, t, [t] * count)
        wide = {"nomask": True}
        fill = Insn("mov", Op("acc0", t), [src(t, "A", 0)], **wide)
        show = Insn("mov", Op(DST + 2, t), [Op("acc0", t)], **wide)
        if op != "line":
            i = case.make(first=0)
            i.srcs[0] = Op("acc0", t)
            f.add(fill, i)
        i = case.make(first=0)
        i.dst = Op("acc0", t)
        f.add(fill, i, show)
        if op not in ("cmp", "cmpn"):
            f.add(fill, case.make(first=0, acc=True), show)


TABLE_ACC = ("mac", "mach", "addc", "subb", "sad2", "sada2", "dp4", "dph",
             "dp3", "dp2")


def make_movi(f):
    """All channels' bytes lie in one register: readings of the old manuals
    differ on the rest."""
    for dsts, srcs in TABLE["movi"][2]:
        t = srcs[0]
        s = Op(type=t, addr=(8, 0), region=("vxh", 1, 0))
        for k in ({}, {"sat": True}, {"pred": "seq"},
                  {"pred": "seq", "inv": True}, {"pred": "seq", "flag": 1},
                  {"pred": "seq", "flag": 2}, {"pred": "seq", "flag": 3},
                  {"nomask": True}, {"chan": 8}, {"chan": 16}, {"chan": 24}):
            f.add(Insn("movi", Op(DST, t), [s], 8, **k))
        for k in ({"neg": True}, {"abs": True}, {"neg": True, "abs": True}):
            m = Op(type=t, addr=(8, 0), region=("vxh", 1, 0), **k)
            f.add(Insn("movi", Op(DST, t), [m], 8))


# ---- flags of integer results that do not fit ----

WRAP_OPS = ("mov", "not", "and", "or", "xor", "shl", "shr", "asr", "add",
            "avg", "mul", "mac", "addc", "subb", "lzd", "sad2",
            "sada2")
ORDERS = ("l", "ge", "g", "le", "o", "z", "nz")


def wrap_destinations(f, case, turn):
    """No destination, an accumulator, a clamped result, negated sources."""
    for k, cmod in enumerate(ORDERS[:4]):
        i = case.make(first=8 * (k & 1), cmod=cmod)
        i.dst.reg = "null"
        f.add(*surround(i))
        if case.op not in TABLE_ACC + LOGIC and SIZE[case.dst] < 8 and \
                case.dst not in ("B", "UB"):
            i = case.make(first=8 * (k & 1), cmod=cmod)
            i.dst = Op("acc0", case.dst)
            f.add(Insn("mov", Op("acc0", case.dst), [src(case.dst)],
                       nomask=True), i)
        caps = TABLE[case.op][1]
        if "S" in caps:
            f.add(*surround(case.make(first=8 * (k & 1), cmod=cmod, sat=True)))
        if "M" in caps and case.types[0] in SIGNED:
            f.add(*surround(case.make(first=8 * (k & 1), cmod=cmod,
                                      mods={0: {"neg": True}})))


def make_wrap(f):
    f.group("wrap", inputs(("B", "W", "D", "Q")), dispatch=0xf7fbf5df,
            f=(0x5a3c96c5, 0x0ff0c35a))
    turn = 0
    for op in WRAP_OPS:
        seen = set()
        for case in type_cases(op):
            if case.dst in FLOATS or set(case.types) & set(FLOATS):
                continue
            for k in range(2):
                turn += 1
                cmod = ORDERS[turn % (4 if op in LOGIC else len(ORDERS))]
                f.add(*surround(case.make(first=8 * k, cmod=cmod)))
            if case.dst not in seen:
                seen.add(case.dst)
                wrap_destinations(f, case, turn)


def make_smov(f):
    """src0 and the destination of all pairs of types; a constant and a
    register of masks."""
    f.group("smov", inputs() + tame_inputs(), dispatch=0xf7fbf5df,
            f=(0x5a3c96c5, 0x0ff0c35a),
            a0=[0, 0, (DST + 2) * 32] + [DST * 32 + 8 * k for k in range(5)] +
            [SLOT["W"] * 32 + 6 * k % 30 for k in range(8)])
    types = ("UW", "W", "UD", "D", "HF", "F", "UQ", "Q", "DF")
    for d in types:
        for s in types:
            if "HF" in (d, s) and 8 in (SIZE[d], SIZE[s]):
                continue
            for first, mask in ((0, 0xa5), (8, 0x5a)):
                o = dst_op("mov", d, [src(s)], 8)
                f.add(Insn("smov", o, [src(s, "A", first),
                                       Op(type="UW", imm=mask)]))
    for t in ("W", "D", "Q"):
        for k in range(8):
            o = Op(type=t, addr=(3 + k % 5, 0))
            f.add(Insn("smov", o, [Op(SLOT["W"], "W", 2 * k, (0, 1, 0)),
                                   Op(type="UW", imm=1 << k)], pred="seq",
                       inv=bool(k & 1)))
    # Masks in registers: each channel's own bit of its own element.
    for t in types:
        f.add(Insn("smov", Op(DST, "D"), [src("D"), src(t, "B")]))
        f.add(Insn("smov", Op(DST, t), [src(t), src("UD", "B")]))
    plain = [src("W", n=8), src("UD", "B")]
    for n, chan in ((1, 0), (2, 0), (4, 4), (4, 8), (16, 0), (16, 16),
                    (8, 24), (32, 0)):
        o = Op(DST, "D" if n < 32 else "W")
        f.add(Insn("smov", o, [src("W", "A", 0, n), src("UW", "B", 0, n)], n,
                   chan=chan))
    for k in ({"pred": "seq", "flag": 1}, {"pred": "seq", "flag": 2},
              {"pred": "seq", "flag": 3}, {"nomask": True}):
        f.add(Insn("smov", Op(DST, "D"), plain, **k))
    for o in (Op(type="W", addr=(8, 0), region=("vxh", 1, 0)),
              Op(type="W", addr=(8, 2), region=("vxh", 4, 1)),
              Op(type="W", addr=(8, 4), region=(4, 4, 1)),
              Op(SLOT["W"], "W", 2, (2, 4, 0))):
        f.add(Insn("smov", Op(DST, "D"), [o, Op(type="UW", imm=0xa5)]))


def make_op(f, op):
    count, caps, rules = TABLE[op]
    # One address per channel from a0.8 on, in a single register of column A.
    t = {"F": "F", "DF": "DF"}.get(rules[0][1][0], "D")
    t = one_case(op, rules[0], 4).types[0] if "F" not in rules[0][1] else "F"
    size = SIZE[t]
    first = SLOT[t] * 32
    if op in TAME_OPS:
        first = tame_src("F").reg * 32 if t == "F" else first
    each = [first + (k * 3 % (32 // size)) * size for k in range(8)]
    if op == "movi":
        each = [SLOT["D"] * 32 + k * 12 % 32 for k in range(8)]
    a0 = [0, 0, (DST + 2) * 32, 0, first + size, first + 2 * size,
          first + size, first + 3 * size] + each
    # dispatch and flags: mixed, so that every mask can be told apart
    f.group(op, inputs() + tame_inputs(), dispatch=0xf7fbf5df,
            f=(0x5a3c96c5, 0x0ff0c35a), a0=a0)
    if op == "movi":
        make_movi(f)
        return
    # Each half of the operands by turns; both where one type is all there is.
    for turn, case in enumerate(type_cases(op)):
        case.turn = turn + turn // 6
        f.add(*surround(case.make()))
        if op not in TAME_OPS and {case.dst} == set(case.types):
            f.add(*surround(case.make()))
    for case in shift_cases() if op == "shr" else ():
        f.add(case.make())
    for r, rule in enumerate(rules):
        for turn, k in enumerate(modifiers(op)):
            f.add(*surround(one_case(op, rule, turn + r).make(
                first=8 * (turn & 1), **k)))
        for turn in range(len(rule[1])):
            immediates(f, op, one_case(op, rule, turn))
    packed(f, op)
    shapes(f, op)
    accumulators(f, op)


def main():
    names = sys.argv[1:] or list(FILES) + ["wrap", "smov"]
    for name in names:
        if name in ("wrap", "smov"):
            f = VectorFile(os.path.join(HERE, name + ".txt"),
                           "Generated by make_alu.py.")
            {"wrap": make_wrap, "smov": make_smov}[name](f)
            f.write()
            continue
        f = VectorFile(os.path.join(HERE, name + ".txt"),
                       "Generated by make_alu.py: %s." %
                       " ".join(FILES[name]))
        for op in FILES[name]:
            make_op(f, op)
        f.write()


main()
