"""Vector files: groups of initial registers, instructions, expectations.

README.md describes the format. The text beside every word comes from iga64,
never from Softlake's own disassembler."""
import copy
import os
import re
import subprocess
import tempfile

import eu_float as fl
import eu_model
from eu_encode import OPCODES, TERNARY, encode

TERNARY_OPCODES = [OPCODES[name] for name in TERNARY]
LETTER = {1: "b", 2: "w", 4: "d", 8: "q"}
GARBAGE = 0x5eed0000


def disassemble(words, gen):
    """iga64's text for each 128-bit word; "-" for refused words, such as
    Align16 channel masks."""
    # It reads Align16 instructions of one and two sources as Align1.
    refused = {w: "Align16" for w in words
               if w >> 8 & 1 and w & 0x7f not in TERNARY_OPCODES}
    words = [w for w in words if w not in refused]
    while words:
        with tempfile.NamedTemporaryFile(suffix=".bin") as f:
            for w in words:
                f.write(w.to_bytes(16, "little"))
            f.flush()
            r = subprocess.run(["iga64", "-d", "-n", "-p=%d" % gen, f.name],
                               capture_output=True, text=True)
        bad = {int(m.group(1), 16) // 16: m.group(2) for m in re.finditer(
            r"byte offset 0x([0-9a-f]+): error: (.*)", r.stderr)}
        if not bad:
            break
        refused.update({words[n]: why for n, why in bad.items()})
        words = [w for n, w in enumerate(words) if n not in bad]
    lines = [l for l in r.stdout.splitlines() if l.strip()
             and not l.startswith("//") and not l.startswith("L")]
    if len(lines) != len(words):
        raise SystemExit("iga64: %d lines for %d words\n%s" %
                         (len(lines), len(words), r.stderr[:2000]))
    for why in sorted(set(refused.values())):
        print("  iga64 refuses %d: %s" %
              (list(refused.values()).count(why), why))
    text = {w: " ".join(l.split("//")[0].split())
            for w, l in zip(words, lines)}
    return {**text, **{w: "-" for w in refused}}


def tokens(values, size):
    """Equal runs of ".", shortened."""
    out = []
    for v in values:
        if v == "." and out and out[-1][0] == ".":
            n = int(out[-1][1:] or 1)
            out[-1] = ".%d" % (n + 1)
        else:
            out.append(v if isinstance(v, str) else "%0*x" % (size * 2, v))
    return " ".join(out)


class Group:
    def __init__(self, name, state, header):
        self.name, self.state, self.header = name, state, header
        self.lines = []


class VectorFile:
    def __init__(self, path, about, gen=9):
        self.path, self.about, self.gen = path, about, gen
        self.groups = []
        self.words = []
        self.count = 0
        self.skipped = []

    def group(self, name, regs=(), cr0=0x4c0, dispatch=0xffffffff,
              f=(0, 0), a0=()):
        """regs: (GRF number, element size, [bits]); more values than one
        register holds go on in the next."""
        s = eu_model.State()
        for n in range(1024):
            s.grf[n * 4:n * 4 + 4] = (GARBAGE + n).to_bytes(4, "little")
        s.cr0, s.dispatch = cr0, dispatch
        s.f = list(f)
        s.a0 = list(a0) + [0] * (16 - len(a0))
        head = ["cr0 %08x" % cr0, "dispatch %08x" % dispatch,
                "f %08x %08x" % tuple(f)]
        if a0:
            head.append("a0 " + " ".join("%04x" % x for x in s.a0))
        for reg, size, values in regs:
            per = 32 // size
            for k in range(0, len(values), per):
                part = values[k:k + per]
                head.append("r%d:%s %s" % (reg + k // per, LETTER[size],
                                           tokens(part, size)))
                for n, v in enumerate(part):
                    at = (reg + k // per) * 32 + n * size
                    s.grf[at:at + size] = v.to_bytes(size, "little")
        s.written, s.any = {}, {}
        self.groups.append(Group(name, s, head))

    def add(self, *insns, bound=None, expect=None, note=None):
        """One vector. expect(state): sets results that the model of single
        instructions cannot know. bound: the precision that math promises."""
        g = self.groups[-1]
        s = copy.deepcopy(g.state)
        try:
            for i in insns:
                if not isinstance(i, int) and not expect:
                    eu_model.run(s, i)
        except eu_model.Unspecified as e:
            self.skipped.append((insns, str(e)))
            return False
        if expect:
            expect(s)
        words = [i if isinstance(i, int) else encode(i) for i in insns]
        self.words += words
        g.lines.append((words, self.expectation(g.state, s, bound), note))
        self.count += 1
        return True

    def expectation(self, old, s, bound):
        out = []
        if s.f != old.f or any(s.f_any):
            text = "f"
            for n in range(2):
                text += " %08x" % (s.f[n] & ~s.f_any[n])
                if s.f_any[n]:
                    text += "/%08x" % (~s.f_any[n] & 0xffffffff)
            out.append(text)
        if s.a0 != old.a0:
            out.append("a0 " + " ".join("%04x" % a for a in s.a0))
        for reg in sorted({at // 32 for at in s.written}):
            out.append(self.register(s, reg, bound))
        return out

    def register(self, s, reg, bound):
        size = max(n for at, n in s.written.items() if at // 32 == reg)
        values = []
        for at in range(reg * 32, reg * 32 + 32, size):
            parts = [b for b in range(at, at + size) if b in s.written]
            if at in s.written and s.any.get(at) in ("nan", "any"):
                values.append({"nan": "nan", "any": "?"}[s.any[at]])
            elif parts:
                values.append(s.load(at, size))
            else:
                values.append(".")
        while values and values[-1] == ".":
            values.pop()
        return "r%d:%s%s %s" % (reg, LETTER[size], " " + bound if bound
                                else "", tokens(values, size))

    def write(self):
        text = disassemble(sorted(set(self.words)), self.gen)
        with open(self.path, "w") as out:
            out.write("".join("# %s\n" % l for l in self.about.split("\n")))
            out.write("gen %d\n" % self.gen)
            for g in self.groups:
                out.write("\n= %s\n%s\n" % (g.name, "\n".join(g.header)))
                for words, expected, note in g.lines:
                    if note:
                        out.write("# %s\n" % note)
                    for w in words:
                        out.write("> %s %s\n" % (
                            w.to_bytes(16, "little").hex(), text[w]))
                    out.write("".join(e + "\n" for e in expected))
        print("%s: %d vectors, %d bytes" % (
            os.path.basename(self.path), self.count,
            os.path.getsize(self.path)))
        reasons = {}
        for insns, why in self.skipped:
            last = insns[-1]
            reasons.setdefault((last.op, last.cmod, why), 0)
            reasons[last.op, last.cmod, why] += 1
        for key, n in sorted(reasons.items()):
            print("  not specified: %s.%s: %s (%d)" % (*key, n))
