#!/usr/bin/env python3
"""Prints x86_cases.h: vector instructions as GNU as encodes them.

usage: make_x86_cases.py > x86_cases.h

Each case is a call of the emitter and the bytes it must give.
"""
import pathlib
import re
import subprocess
import tempfile

# operation: mnemonic (EVEX, VEX), form. d = reg, v = vvvv, m = register or
# memory, i = immediate, k = mask destination.
OPS = '''
MOVUPS_LD vmovups vmovups d,m
MOVUPS_ST vmovups vmovups M,d
MOVAPS vmovaps vmovaps d,m
ADDPS vaddps vaddps d,v,m
MULPS vmulps vmulps d,v,m
SUBPS vsubps vsubps d,v,m
MINPS vminps vminps d,v,m
MAXPS vmaxps vmaxps d,v,m
DIVPS vdivps vdivps d,v,m
SQRTPS vsqrtps vsqrtps d,m
ANDPS vandps vandps d,v,m
ORPS vorps vorps d,v,m
XORPS vxorps vxorps d,v,m
CMPPS vcmpps vcmpps k,v,m,i
FMADD132PS vfmadd132ps vfmadd132ps d,v,m
FMADD213PS vfmadd213ps vfmadd213ps d,v,m
FMADD231PS vfmadd231ps vfmadd231ps d,v,m
FNMADD213PS vfnmadd213ps vfnmadd213ps d,v,m
FNMADD231PS vfnmadd231ps vfnmadd231ps d,v,m
RSQRT14PS vrsqrt14ps - d,m
RSQRTPS - vrsqrtps d,m
GETEXPPS vgetexpps - d,m
GETMANTPS vgetmantps - d,m,i
SCALEFPS vscalefps - d,v,m
FPCLASSPS vfpclassps - k,m,i
PERMI2D vpermi2d - d,v,m
UNPCKLPS vunpcklps vunpcklps d,v,m
UNPCKHPS vunpckhps vunpckhps d,v,m
UNPCKLPD vunpcklpd vunpcklpd d,v,m
UNPCKHPD vunpckhpd vunpckhpd d,v,m
PTEST - vptest d,m
PSHUFB - vpshufb d,v,m
PACKSSDW - vpackssdw d,v,m
PACKUSDW - vpackusdw d,v,m
PERMQ - vpermq d,m,i
PERMD vpermd vpermd d,v,m
PERMPS vpermps vpermps d,v,m
PERMW vpermw - d,v,m
ROUNDPS vrndscaleps vroundps d,m,i
ADDPD vaddpd vaddpd d,v,m
MULPD vmulpd vmulpd d,v,m
MINPD vminpd vminpd d,v,m
MAXPD vmaxpd vmaxpd d,v,m
DIVPD vdivpd vdivpd d,v,m
SQRTPD vsqrtpd vsqrtpd d,m
CVTDQ2PS vcvtdq2ps vcvtdq2ps d,m
CVTTPS2DQ vcvttps2dq vcvttps2dq d,m
CVTUDQ2PS vcvtudq2ps - d,m
CVTTPS2UDQ vcvttps2udq - d,m
FMADD231PD vfmadd231pd vfmadd231pd d,v,m
BLENDMPD vblendmpd - d,v,m
PTESTMD vptestmd - k,v,m
PADDD vpaddd vpaddd d,v,m
PSUBD vpsubd vpsubd d,v,m
PADDW vpaddw vpaddw d,v,m
PMULLD vpmulld vpmulld d,v,m
PAND vpandd vpand d,v,m
POR vpord vpor d,v,m
PXOR vpxord vpxor d,v,m
PABSD vpabsd vpabsd d,m
PMINSD vpminsd vpminsd d,v,m
PMAXSD vpmaxsd vpmaxsd d,v,m
PMINUD vpminud vpminud d,v,m
PMAXUD vpmaxud vpmaxud d,v,m
PSLLVD vpsllvd vpsllvd d,v,m
PSRLVD vpsrlvd vpsrlvd d,v,m
PSRAVD vpsravd vpsravd d,v,m
PCMPD vpcmpd - k,v,m,i
PCMPUD vpcmpud - k,v,m,i
PCONFLICTD vpconflictd - d,m
PCMPEQD - vpcmpeqd d,v,m
PCMPGTD - vpcmpgtd d,v,m
PTERNLOGD vpternlogd - d,v,m,i
BLENDMPS vblendmps - d,v,m
'''
PLAIN = ('MOVUPS_LD', 'MOVUPS_ST', 'MOVAPS', 'PERMW', 'PADDW')  # no broadcast
LETTER = 'xyz'
WIDE = ('PERMD', 'PERMPS', 'PERMQ')  # 256 bits or more


def place(kind, length, wide):
    if kind[0] == 'r':
        return '%%%smm%d' % (LETTER[length], kind[1])
    text = '%d(%%rbx)' % kind[1]
    if kind[0] == 'b':
        text += '{1to%d}' % ((16 << length) // (8 if wide else 4))
    return text


def cases():
    rms = (('r', 29), ('r', 7), ('m', 0x140), ('m', 0x1234), ('b', 0x20))
    for line in OPS.strip().splitlines():
        name, evex, vex, form = line.split()
        wide = name[-2:] == 'PD' and name != 'PCMPD'
        for length in (0, 1, 2):
            if length == 0 and name in WIDE:
                continue
            for rm in rms:
                if evex != '-' and not (rm[0] == 'b' and name in PLAIN) and \
                        not ('M' in form and rm[0] == 'r'):
                    yield name, evex, form, True, length, rm, wide
                if vex != '-' and length < 2 and rm[0] != 'b' and \
                        rm[1] != 29 and not ('M' in form and rm[0] == 'r'):
                    yield name, vex, form, False, length, rm, wide


def main():
    source, rows = [], []
    for name, mnemonic, form, evex, length, rm, wide in cases():
        mask_dst = evex and form[0] == 'k'
        reg = 5 if mask_dst else 21 if evex else 11
        vvvv = (18 if evex else 13) if 'v' in form else 0
        k = 0 if not evex or (name == 'MOVUPS_LD' and rm[0] == 'r') else 3
        operands = []
        for f in form.split(','):
            if f == 'd':
                operands.append('%%%smm%d' % (LETTER[length], reg))
            elif f == 'k':
                operands.append('%k5' if evex else
                                '%%%smm%d' % (LETTER[length], reg))
            elif f == 'v':
                operands.append('%%%smm%d' % (LETTER[length], vvvv))
            elif f in 'mM':
                operands.append(place(rm, length, wide))
            else:
                operands.append('$5')
        if k:
            operands[0] += '{%%k%d}' % k
        if name == 'FPCLASSPS' and rm[0] != 'r':
            mnemonic += LETTER[length]
        source.append('%s %s %s' % ('{evex}' if evex else '{vex3}', mnemonic,
                                    ', '.join(reversed(operands))))
        rows.append((name, evex, length, reg, vvvv, rm, k,
                     5 if 'i' in form else -1))
    with tempfile.TemporaryDirectory() as tmp:
        path = pathlib.Path(tmp, 'x.s')
        path.write_text('\n'.join(source) + '\n')
        subprocess.run(['as', '-o', tmp + '/x.o', path], check=True)
        listing = subprocess.run(
            ['objdump', '-d', '--insn-width=16', tmp + '/x.o'], check=True,
            stdout=subprocess.PIPE, text=True).stdout
    encoded = [m.group(1).split() for m in
               re.finditer(r'^ +[0-9a-f]+:\t((?:[0-9a-f]{2} )+)', listing,
                           re.M)]
    assert len(encoded) == len(rows)
    print('/* Generated by make_x86_cases.py. */')
    print('/* clang-format off */')
    for row, code in zip(rows, encoded):
        name, evex, length, reg, vvvv, rm, k, imm = row
        kind = {'r': 'X86_REG', 'm': 'X86_THREAD', 'b': 'X86_THREAD'}[rm[0]]
        print('{X86_%s, %d, %d, %d, %d, {%s, %d, %d, %d}, %d, %d, %d, {%s}},' %
              (name, evex, length, reg, vvvv, kind,
               rm[1] if rm[0] == 'r' else 0, rm[0] == 'b',
               rm[1] if rm[0] != 'r' else 0, k, imm, len(code),
               ','.join('0x' + b for b in code)))


main()
