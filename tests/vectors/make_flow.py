#!/usr/bin/env python3
"""Writes flow.txt and send.txt: short programs, assembled by iga64.

Python beside each program computes every lane's final value directly: there
is no model of channels here."""
import os
import subprocess
import tempfile

from eu_write import VectorFile

HERE = os.path.dirname(os.path.abspath(__file__))
DST = 100


def assemble(text, gen=9):
    with tempfile.TemporaryDirectory() as d:
        asm, out = os.path.join(d, "k.asm"), os.path.join(d, "k.bin")
        with open(asm, "w") as f:
            f.write(text)
        r = subprocess.run(["iga64", "-a", "-p=%d" % gen, asm, "-o", out],
                           capture_output=True, text=True)
        if r.returncode or not os.path.exists(out):
            raise SystemExit(text + r.stdout + r.stderr)
        data = open(out, "rb").read()
    return [int.from_bytes(data[k:k + 16], "little")
            for k in range(0, len(data), 16)]


LANES = list(range(16))
LIMITS = [3, 0, 5, 1, 2, 7, 4, 6, 1, 1, 2, 9, 0, 8, 3, 5]
FLAGS = 0x9c35a6d2


class Program:
    """The group's masks, and vectors of one program under several sizes."""

    def __init__(self, f, name, dispatch=0xffffffff, flags=FLAGS, cr0=0x4c0):
        self.f, self.dispatch, self.flags = f, dispatch, flags
        f.group(name, [(20, 4, LANES), (22, 4, LIMITS), (24, 4, [0] * 16)],
                cr0=cr0, dispatch=dispatch, f=(flags, 0))

    def live(self, c):
        return self.dispatch >> c & 1

    def flag(self, c):
        return self.flags >> c & 1

    def add(self, text, lane, size=8, first=0, after=None, note=None):
        """lane(c) -> {register: value} of a live lane, from the numbers of
        its channel; registers are 32-bit columns. after(state): the rest."""
        text = text.replace("SIZE", "%d|M%d" % (size, first))

        def expect(s):
            for c in range(size):
                if not self.live(first + c):
                    continue
                for reg, v in lane(first + c, c).items():
                    s.store(reg * 32 + c * 4, 4, v)
            if after:
                after(s)
        self.f.add(*assemble(text), expect=expect, note=note)


def conditionals(f):
    for dispatch in (0xffffffff, 0xfff7ffde):
        for flags in (FLAGS, 0xffffffff, 0):
            p = Program(f, "if, else: dispatch %08x, flags %08x" %
                        (dispatch, flags), dispatch, flags)
            for size, first in ((8, 0), (16, 0), (8, 8), (16, 16)):
                for pred in ("f0.0", "~f0.0"):
                    def taken(c, pred=pred):
                        return bool(p.flag(c)) != pred.startswith("~")
                    p.add("""(%s) if (SIZE) Lelse Lend
 add (SIZE) r100.0<1>:d r20.0<8;8,1>:d 100:d
Lelse0:
 else (SIZE) Lend Lend
Lelse:
 add (SIZE) r100.0<1>:d r20.0<8;8,1>:d 200:d
Lend:
 endif (SIZE) Lnext
Lnext:
 add (SIZE) r102.0<1>:d r20.0<8;8,1>:d 1:d
""" % pred, lambda c, i: {100: i + (100 if taken(c) else 200), 102: i + 1},
                        size, first)
            for pred, hit in (("f0.0.any4h", lambda c: any(
                    p.flag(c // 4 * 4 + k) for k in range(4))),
                    ("f0.0.all8h", lambda c: all(
                        p.flag(c // 8 * 8 + k) for k in range(8)))):
                p.add("""(%s) if (SIZE) Lend Lend
 mov (SIZE) r100.0<1>:d r22.0<8;8,1>:d
Lend:
 endif (SIZE) Lnext
Lnext:
 nop
""" % pred, lambda c, i, hit=hit: {100: LIMITS[i]} if hit(c) else {})
    for dispatch, size, first in ((0xdb, 8, 0), (0xffff, 16, 0),
                                  (0xbf00, 8, 8)):
        for flags in (FLAGS, 0xffffffff, 0):
            body_of_nobody(f, dispatch, size, first, flags)
    p = Program(f, "nested if", 0xffffffdf)
    p.add("""(f0.0) if (SIZE) Lelse Lend
 cmp (SIZE) (gt)f0.1 null:d r22.0<8;8,1>:d 3:d
 (f0.1) if (SIZE) Lielse Liend
 add (SIZE) r100.0<1>:d r20.0<8;8,1>:d 10:d
 else (SIZE) Liend Liend
Lielse:
 add (SIZE) r100.0<1>:d r20.0<8;8,1>:d 20:d
Liend:
 endif (SIZE) Lskip
Lskip:
 else (SIZE) Lend Lend
Lelse:
 (~f0.0) if (SIZE) Lnever Lnever
 add (SIZE) r100.0<1>:d r20.0<8;8,1>:d 30:d
Lnever:
 endif (SIZE) Lend
Lend:
 endif (SIZE) Lnext
Lnext:
 mov (SIZE) r102.0<1>:d r20.0<8;8,1>:d
""", lambda c, i: {102: i, 100: i + (30 if not p.flag(c) else
                                     10 if LIMITS[i] > 3 else 20)},
          after=lambda s: set_compare_flags(s, p, 8))


def body_of_nobody(f, dispatch, size, first, flags):
    """If no channel takes the branch the body is not entered: its NoMask
    instructions do not execute either."""
    p = Program(f, "if without else: dispatch %04x, flags %08x" %
                (dispatch, flags), dispatch, flags)
    for pred in ("f0.0", "~f0.0"):
        def taken(c):
            return bool(p.flag(c)) != pred.startswith("~")
        entered = any(taken(c) and p.live(c)
                      for c in range(first, first + size))
        p.add("""(%s) if (SIZE) Lend Lend
 add (SIZE) r100.0<1>:d r20.0<8;8,1>:d 100:d
 (W) mov (1|M0) r104.0<1>:d 7:d
Lend:
 endif (SIZE) Lnext
Lnext:
 mov (SIZE) r102.0<1>:d r20.0<8;8,1>:d
""" % pred, lambda c, i: {102: i, **({100: i + 100} if taken(c) else {})},
              size, first,
              lambda s: entered and s.store(104 * 32, 4, 7))


def set_compare_flags(s, p, size):
    """f0.1 after the inner comparison: only lanes that ran it changed."""
    for c in range(size):
        if p.live(c) and p.flag(c):
            bit = 1 << (16 + c)
            s.f[0] = s.f[0] & ~bit | (bit if LIMITS[c] > 3 else 0)


def loop_flags(values):
    """The flag that the last comparison of each lane left behind."""
    def after(s):
        for c, v in values.items():
            s.f[0] = s.f[0] & ~(1 << c) | v << c
    return after


def loops(f):
    for dispatch in (0xffffffff, 0xffff7fda):
        p = Program(f, "loops: dispatch %08x" % dispatch, dispatch)
        for size in (8, 16):
            live = [c for c in range(size) if p.live(c)]
            p.add("""mov (SIZE) r100.0<1>:d 0:d
Ltop:
 add (SIZE) r100.0<1>:d r100.0<8;8,1>:d 1:d
 cmp (SIZE) (ge)f0.0 null:d r100.0<8;8,1>:d r22.0<8;8,1>:d
 (f0.0) break (SIZE) Lwhile Lwhile
Lwhile:
 while (SIZE) Ltop
 add (SIZE) r102.0<1>:d r100.0<8;8,1>:d 100:d
""", lambda c, i: {100: max(1, LIMITS[i]), 102: max(1, LIMITS[i]) + 100},
                  size, after=loop_flags({c: 1 for c in live}))
            p.add("""mov (SIZE) r100.0<1>:d 0:d
Ltop:
 add (SIZE) r100.0<1>:d r100.0<8;8,1>:d 1:d
 cmp (SIZE) (lt)f0.0 null:d r100.0<8;8,1>:d r22.0<8;8,1>:d
 (f0.0) while (SIZE) Ltop
 add (SIZE) r102.0<1>:d r100.0<8;8,1>:d 100:d
""", lambda c, i: {100: max(1, LIMITS[i]), 102: max(1, LIMITS[i]) + 100},
                  size, after=loop_flags({c: 0 for c in live}))
            p.add("""mov (SIZE) r100.0<1>:d 0:d
Ltop:
 add (SIZE) r100.0<1>:d r100.0<8;8,1>:d 1:d
 cmp (SIZE) (ge)f0.0 null:d r100.0<8;8,1>:d r22.0<8;8,1>:d
 (~f0.0) while (SIZE) Ltop
""", lambda c, i: {100: max(1, LIMITS[i])}, size,
                  after=loop_flags({c: 1 for c in live}))
            # Odd numbers below the limit are skipped, even ones summed up.
            p.add("""mov (SIZE) r100.0<1>:d 0:d
 mov (SIZE) r102.0<1>:d 0:d
Ltop:
 cmp (SIZE) (ge)f0.0 null:d r100.0<8;8,1>:d r22.0<8;8,1>:d
 (f0.0) break (SIZE) Lwhile Lwhile
 add (SIZE) r100.0<1>:d r100.0<8;8,1>:d 1:d
 and (SIZE) (ne)f0.0 null:d r100.0<8;8,1>:d 1:d
 (f0.0) cont (SIZE) Lwhile Lwhile
 add (SIZE) r102.0<1>:d r102.0<8;8,1>:d r100.0<8;8,1>:d
Lwhile:
 while (SIZE) Ltop
""", lambda c, i: {100: LIMITS[i], 102: sum(range(2, LIMITS[i] + 1, 2))},
                  size, after=loop_flags({c: 1 for c in live}))
            p.add("""mov (SIZE) r100.0<1>:d 0:d
Ltop:
 add (SIZE) r100.0<1>:d r100.0<8;8,1>:d 1:d
 cmp (SIZE) (ge)f0.0 null:d r100.0<8;8,1>:d r22.0<8;8,1>:d
 (f0.0) if (SIZE) Lend Lend
 add (SIZE) r102.0<1>:d r100.0<8;8,1>:d 50:d
 break (SIZE) Lend Lwhile
Lend:
 endif (SIZE) Lwhile
Lwhile:
 while (SIZE) Ltop
""", lambda c, i: {100: max(1, LIMITS[i]), 102: max(1, LIMITS[i]) + 50},
                  size, after=loop_flags({c: 1 for c in live}))
            p.add("""mov (SIZE) r100.0<1>:d 0:d
Ltop:
 add (SIZE) r100.0<1>:d r100.0<8;8,1>:d 1:d
 cmp (SIZE) (lt)f0.0 null:d r100.0<8;8,1>:d r22.0<8;8,1>:d
 (~f0.0) break (SIZE) Lwhile Lwhile
 and (SIZE) (eq)f0.0 null:d r100.0<8;8,1>:d 1:d
 (~f0.0) cont (SIZE) Lwhile Lwhile
 add (SIZE) r102.0<1>:d r100.0<8;8,1>:d 40:d
Lwhile:
 while (SIZE) Ltop
""", lambda c, i: {100: max(1, LIMITS[i]), **(
                {102: (LIMITS[i] - 1) // 2 * 2 + 40}
                if LIMITS[i] > 2 else {})}, size,
                  after=loop_flags({c: 0 for c in live}))
            # Two nested loops: limit rounds of limit + 1 steps each.
            p.add("""mov (SIZE) r100.0<1>:d 0:d
 mov (SIZE) r102.0<1>:d 0:d
Lout:
 mov (SIZE) r104.0<1>:d 0:d
Lin:
 add (SIZE) r104.0<1>:d r104.0<8;8,1>:d 1:d
 add (SIZE) r102.0<1>:d r102.0<8;8,1>:d 1:d
 cmp (SIZE) (gt)f0.0 null:d r104.0<8;8,1>:d r22.0<8;8,1>:d
 (f0.0) break (SIZE) Lwin Lwin
Lwin:
 while (SIZE) Lin
 add (SIZE) r100.0<1>:d r100.0<8;8,1>:d 1:d
 cmp (SIZE) (ge)f0.0 null:d r100.0<8;8,1>:d r22.0<8;8,1>:d
 (f0.0) break (SIZE) Lwout Lwout
Lwout:
 while (SIZE) Lout
""", lambda c, i: {100: max(1, LIMITS[i]), 104: LIMITS[i] + 1,
                   102: max(1, LIMITS[i]) * (LIMITS[i] + 1)}, size,
                  after=loop_flags({c: 1 for c in live}))


def halts(f):
    for dispatch in (0xffffffff, 0xffffffda):
        for flags in (FLAGS, 0xffffffff, 0):
            p = Program(f, "halt: dispatch %08x, flags %08x" %
                        (dispatch, flags), dispatch, flags)
            for size, first in ((8, 0), (16, 0), (8, 8)):
                for pred, stays in (
                        ("f0.0", lambda c: not p.flag(c)),
                        ("~f0.0", lambda c: p.flag(c)),
                        ("~f0.0.any4h", lambda c: any(
                            p.flag(c // 4 * 4 + k) for k in range(4)))):
                    p.add("""(%s) halt (SIZE) Lend Lend
 add (SIZE) r100.0<1>:d r20.0<8;8,1>:d 100:d
Lend:
 halt (SIZE) Lnext Lnext
Lnext:
 add (SIZE) r102.0<1>:d r20.0<8;8,1>:d 1:d
""" % pred, lambda c, i, stays=stays: {
                        102: i + 1, **({100: i + 100} if stays(c) else {})},
                        size, first)
    p = Program(f, "halt inside a block")
    p.add("""(f0.0) if (SIZE) Lelse Lendif
 halt (SIZE) Lelse0 Lend
 mov (SIZE) r100.0<1>:d 1:d
Lelse0:
 else (SIZE) Lendif Lendif
Lelse:
 mov (SIZE) r100.0<1>:d 2:d
Lendif:
 endif (SIZE) Lend
 mov (SIZE) r104.0<1>:d 3:d
Lend:
 halt (SIZE) Lnext Lnext
Lnext:
 mov (SIZE) r102.0<1>:d 4:d
""", lambda c, i: {102: 4, **({} if p.flag(c) else {100: 2, 104: 3})})


def gotos(f):
    for flags in (FLAGS, 0xffffffff, 0):
        p = Program(f, "goto, join: flags %08x" % flags, 0xfffffedf, flags)
        for size, first in ((8, 0), (16, 0), (8, 8)):
            for pred, stays in (("f0.0", lambda c: p.flag(c)),
                                ("~f0.0", lambda c: not p.flag(c))):
                # Forward, the channels whose predicate is false jump.
                p.add("""(%s) goto (SIZE) Ljoin Ljoin
 add (SIZE) r100.0<1>:d r20.0<8;8,1>:d 100:d
Ljoin:
 join (SIZE) Lnext
Lnext:
 add (SIZE) r102.0<1>:d r20.0<8;8,1>:d 1:d
""" % pred, lambda c, i, stays=stays: {
                    102: i + 1, **({100: i + 100} if stays(c) else {})},
                    size, first)
        # Two sides: a goto over the else side that all of the rest take.
        p.add("""(f0.0) goto (SIZE) Lelse Lelse
 add (SIZE) r100.0<1>:d r20.0<8;8,1>:d 100:d
 mov (1|M0) f0.1<1>:uw 0:uw
 (f0.1) goto (SIZE) Lelse Lend
Lelse:
 join (SIZE) Lend
 add (SIZE) r100.0<1>:d r20.0<8;8,1>:d 200:d
Lend:
 join (SIZE) Lnext
Lnext:
 add (SIZE) r102.0<1>:d r20.0<8;8,1>:d 1:d
""".replace(" mov (1|M0) f0.1", " (W) mov (1|M0) f0.1"),
              lambda c, i: {102: i + 1, 100: i + (100 if p.flag(c) else
                                                  200)},
              after=lambda s: any(p.flag(c) and p.live(c) for c in range(8))
              and clear_f01(s))
    p = Program(f, "backward goto", 0xffffffef)
    for size in (8, 16):
        p.add("""mov (SIZE) r100.0<1>:d 0:d
Ltop:
 add (SIZE) r100.0<1>:d r100.0<8;8,1>:d 1:d
 cmp (SIZE) (lt)f0.0 null:d r100.0<8;8,1>:d r22.0<8;8,1>:d
 (f0.0) goto.b (SIZE) Lout Ltop
Lout:
 join (SIZE) Lnext
Lnext:
 add (SIZE) r102.0<1>:d r100.0<8;8,1>:d 1:d
""", lambda c, i: {100: max(1, LIMITS[i]), 102: max(1, LIMITS[i]) + 1}, size,
              after=loop_flags({c: 0 for c in range(size) if p.live(c)}))


def clear_f01(s):
    s.f[0] &= 0xffff


def jumps(f):
    for flags in (FLAGS, 0xffffffff, 0):
        p = Program(f, "jmpi, call, ret: flags %08x" % flags, 0xfffffffe,
                    flags)
        p.add("""(W) jmpi (1|M0) Lover
 mov (SIZE) r100.0<1>:d 1:d
Lover:
 mov (SIZE) r102.0<1>:d 2:d
""", lambda c, i: {102: 2})
        for pred, hit in (("W&f0.0", p.flag(0)), ("W&~f0.0", not p.flag(0)),
                          ("W&f0.0.any8h", bool(flags & 0xff)),
                          ("W&f0.0.all16h", flags & 0xffff == 0xffff)):
            p.add("""(%s) jmpi (1|M0) Lover
 mov (SIZE) r100.0<1>:d 1:d
Lover:
 mov (SIZE) r102.0<1>:d 2:d
""" % pred, lambda c, i, hit=hit: {102: 2, **({} if hit else {100: 1})})
        p.add("""(W) mov (1|M0) r110.0<1>:d 16:d
 (W) jmpi (1|M0) r110.0
 mov (SIZE) r100.0<1>:d 1:d
 mov (SIZE) r102.0<1>:d 2:d
""", lambda c, i: {102: 2}, after=lambda s: s.store(110 * 32, 4, 16))
        # A uniform loop of three rounds.
        p.add("""(W) mov (1|M0) r110.0<1>:d 0:d
Ltop:
 add (SIZE) r24.0<1>:d r24.0<8;8,1>:d r20.0<8;8,1>:d
 (W) add (1|M0) r110.0<1>:d r110.0<0;1,0>:d 1:d
 (W) cmp (1|M0) (lt)f0.0 null:d r110.0<0;1,0>:d 3:d
 (W&f0.0) jmpi (1|M0) Ltop
""", lambda c, i: {24: 3 * i}, after=lambda s: (
            s.store(110 * 32, 4, 3), loop_flags({0: 0})(s)))

        def link(s, returned=True):
            for k in (0, 4):    # return address and mask
                s.store(112 * 32 + k, 4, 0, "any")
        p.add("""call (SIZE) r112.0 Lsub
 mov (SIZE) r100.0<1>:d 1:d
 (W) jmpi (1|M0) Lend
Lsub:
 mov (SIZE) r102.0<1>:d 2:d
 ret (SIZE) r112.0
Lend:
 nop
""", lambda c, i: {100: 1, 102: 2}, after=link)
        for pred, hit in (("f0.0", p.flag), ("~f0.0",
                                             lambda c: not p.flag(c))):
            calls = any(hit(c) and p.live(c) for c in range(8))
            p.add("""(PRED) call (SIZE) r112.0 Lsub
 mov (SIZE) r100.0<1>:d 1:d
 (W) jmpi (1|M0) Lend
Lsub:
 mov (SIZE) r102.0<1>:d 2:d
 ret (SIZE) r112.0
Lend:
 nop
""".replace("PRED", pred), lambda c, i, hit=hit: {
                100: 1, **({102: 2} if hit(c) else {})},
                after=link if calls else None)
        # Uniform branches: every reading of brd and brc agrees on them.
        for op, where in (("brd", "Lover"), ("brc", "Lover Lover")):
            if flags == FLAGS:
                continue
            for pred, hit in (("f0.0", bool(flags)), ("~f0.0", not flags)):
                p.add("""(%s) %s (SIZE) %s
 mov (SIZE) r100.0<1>:d 1:d
Lover:
 join (SIZE) Lnext
Lnext:
 mov (SIZE) r102.0<1>:d 2:d
""" % (pred, op, where), lambda c, i, hit=hit: {
                    102: 2, **({} if hit else {100: 1})})
        # The frame before the program is one instruction of 16 bytes.
        p.add("""calla (SIZE) r112.0 64
 mov (SIZE) r100.0<1>:d 1:d
 (W) jmpi (1|M0) Lend
 mov (SIZE) r102.0<1>:d 2:d
 ret (SIZE) r112.0
Lend:
 nop
""", lambda c, i: {100: 1, 102: 2}, after=link)


def others(f):
    p = Program(f, "nop, illegal, wait")
    p.add("nop\n", lambda c, i: {})
    p.add("""(W) mov (1|M0) n0.0<1>:ud 2:ud
 wait n0.0:ud
 (W) mov (1|M0) r100.0<1>:ud n0.0<0;1,0>:ud
 wait n0.0:ud
 (W) mov (1|M0) r100.1<1>:ud n0.0<0;1,0>:ud
""", lambda c, i: {}, after=lambda s: (s.store(3200, 4, 1),
                                        s.store(3204, 4, 0)))
    words = assemble("illegal\n")
    f.add(*words, expect=lambda s: None)
    words, lines, note = f.groups[-1].lines[-1]
    lines.append("fails")


# ---- messages ----

PAYLOAD = 20
DC1 = 0xc


def answer(s, size, mask, desc, ex_desc, regs, rlen, check=0, dst=DST):
    """The answer of the test's shared function: see answer() in
    test_vectors.c."""
    for i in range(rlen * 8):
        if not mask >> i % size & 1:
            continue
        v = desc + ex_desc + check
        for k, reg in enumerate(regs):
            v += s.load(reg * 32 + i % 8 * 4, 4) * (k + 1)
        s.store(dst * 32 + i * 4, 4, v & 0xffffffff)


def messages():
    f = VectorFile(os.path.join(HERE, "send.txt"),
                   "Generated by make_flow.py: what reaches a shared "
                   "function, and where its answer goes.")
    dispatch, flags = 0xfffbffdf, FLAGS
    regs = [(PAYLOAD + k, 4, [(k + 1) * 1000 + c for c in range(8)])
            for k in range(6)]
    desc_of_a0 = 0x04200342
    f.group("send", regs, dispatch=dispatch, f=(flags, 0),
            a0=[desc_of_a0 & 0xffff, desc_of_a0 >> 16, PAYLOAD * 32 + 32, 0,
                0x008c, 0x0123])
    preds = (("", lambda c: True), ("(f0.0) ", lambda c: flags >> c & 1),
             ("(~f0.0) ", lambda c: not flags >> c & 1))
    for op in ("send", "sendc", "sends", "sendsc"):
        split = op.startswith("sends")
        check = int(op in ("sendc", "sendsc"))
        for size, first in ((8, 0), (16, 0), (8, 8), (16, 16), (1, 0)):
            for pred, hit in preds:
                for nomask in (False, True):
                    mask = sum(1 << c for c in range(size)
                               if (nomask or dispatch >> (first + c) & 1)
                               and hit(first + c))
                    mlen, rlen = 1 + (size > 8), 1 + (size > 8)
                    desc = mlen << 25 | rlen << 20 | 0x342
                    ex = DC1 | (0x40 if split else 0)
                    p = pred
                    if nomask:
                        p = "(W&%s " % pred[1:].strip() if pred else "(W) "
                    used = [PAYLOAD + k for k in range(mlen)]
                    second = " r%d" % (PAYLOAD + 4) if split else ""
                    if split:
                        used.append(PAYLOAD + 4)
                    f.add(*assemble("%s%s (%d|M%d) r%d r%d%s 0x%x 0x%08x\n" %
                                    (p, op, size, first, DST, PAYLOAD, second,
                                     ex, desc)),
                          expect=lambda s: answer(s, size, mask, desc, ex,
                                                  used, rlen, check))
        lanes = dispatch & 0xff
        # no answer, wanted or taken
        for dst, rlen in (("null", 1), ("r%d" % DST, 0)):
            desc = 1 << 25 | rlen << 20 | 0x342
            f.add(*assemble("%s (8|M0) %s r%d%s 0x%x 0x%08x\n" % (
                op, dst, PAYLOAD, " r24" if split else "",
                DC1 | (0x40 if split else 0), desc)),
                expect=lambda s: None)
        # descriptor in a0.0
        second = " r%d" % (PAYLOAD + 4) if split else ""
        used = [PAYLOAD, PAYLOAD + 1] + ([PAYLOAD + 4] if split else [])
        ex = DC1 | (0x40 if split else 0)
        f.add(*assemble("%s (8|M0) r%d r%d%s 0x%x a0.0\n" % (
            op, DST, PAYLOAD, second, ex)),
            expect=lambda s: answer(s, 8, lanes, desc_of_a0, ex, used, 2,
                                    check))
        # the payload overlaps the answer
        desc = 2 << 25 | 2 << 20 | 0x342
        used = [PAYLOAD, PAYLOAD + 1] + ([PAYLOAD + 4] if split else [])
    f.write()


def main():
    f = VectorFile(os.path.join(HERE, "flow.txt"),
                   "Generated by make_flow.py: control flow.")
    conditionals(f)
    loops(f)
    halts(f)
    gotos(f)
    jumps(f)
    others(f)
    f.write()
    messages()


main()
