// Instructions that compilers do not or hardly emit. Assembled by iga64.
L0:
        mov (8|M0)    r2.0<1>:f   r3.0<8;8,1>:f
(W)     movi (8|M0)   r10.0<1>:ud   r[a0.0]<8;8,1>:ud
        smov (8|M0)   r10.0<1>:ud   r11.0<8;8,1>:ud r12.0<8;8,1>:ud
        dp4 (8|M0)    r10.0<1>:f   r11.0<8;8,1>:f  r12.0<8;8,1>:f
        dph (8|M0)    r10.0<1>:f   r11.0<8;8,1>:f  -r12.0<8;8,1>:f
        dp3 (8|M0)    r10.0<1>:f   (abs)r11.0<8;8,1>:f  r12.0<8;8,1>:f
        dp2 (8|M0)    r10.0<1>:f   r11.0<8;8,1>:f  r12.0<8;8,1>:f
        line (8|M0)   r10.0<1>:f   r11.0<0;1,0>:f  r12.0<8;8,1>:f
        pln (16|M0)   r10.0<1>:f   r11.4<0;1,0>:f  r12.0<8;8,1>:f
        mac (8|M0)    (gt)f0.0 r10.0<1>:f   r11.0<8;8,1>:f  r12.0<8;8,1>:f
        sad2 (8|M0)   r10.0<1>:w   r11.0<16;8,2>:b  r12.0<16;8,2>:b
        sada2 (8|M0)  r10.0<1>:uw   r11.0<16;8,2>:ub  r12.0<16;8,2>:ub
        mach (8|M0)   r10.0<1>:d   r11.0<8;8,1>:d  r12.0<8;8,1>:d {AccWrEn}
        addc (8|M0)   r10.0<1>:ud   r11.0<8;8,1>:ud  r12.0<8;8,1>:ud {AccWrEn}
        subb (8|M0)   r10.0<1>:ud   r11.0<8;8,1>:ud  r12.0<8;8,1>:ud {AccWrEn}
        math.invm (8|M0) (eo)f0.0 r10.mme0:f r5.nomme:f r6.nomme:f
        math.rsqtm (8|M0) (eo)f1.1 r10.mme0:f r5.nomme:f
(f0.0)  madm (4|M0)   r10.mme1:df r5.nomme:df r6.mme2:df -r7.mme3:df
        lrp (8|M0)    r10.0<1>:f   r11.0<2;1>:f  r12.0<2;1>:f r13.0<1>:f
        csel (8|M0)   (ge)f0.0 r10.0<1>:f   r11.0<2;1>:f  r12.0<2;1>:f r13.0<1>:f
        mov (8|M0)    r10.0<1>:w   0x12345678:v
        mov (8|M0)    r10.0<1>:uw  0x87654321:uv
        mov (4|M0)    r10.0<1>:f   0x30204048:vf
        mov (8|M0)    r10.0<1>:hf  1.5:hf
        mov (4|M0)    r10.0<1>:df  0.1:df
        mov (4|M0)    r10.0<1>:q   -5:q
        mov (4|M0)    r10.0<1>:uq  0xFEDCBA9876543210:uq
        mov (8|M0)    r10.0<1>:f   r[a0.4,-8]<4,1>:f
        mov (8|M0)    r10.0<1>:f   r[a0.2,16]<1,0>:f
        mov (8|M0)    r[a0.3,-64]<1>:f  -r[a0.4,128]<8;8,1>:f
(f0.1.any4h) mov (16|M16) r10.0<1>:ud r12.0<8;8,1>:ud {NoDDChk,NoDDClr,Breakpoint}
(W&~f1.0.all16h) mov (1|M0) cr0.0<1>:ud tm0.1<0;1,0>:ud {Switch}
(f0.0)  if (16|M0)      L1   L2
        else (16|M0)    L2   L2
L1:
        endif (16|M0)   L2
L2:
(f0.0.any16h) break (16|M0)  L3  L3
(f0.0)  cont (16|M0)    L3   L3
(~f1.1) halt (16|M0)    L3   L4
(f0.0)  goto (16|M0)    L3   L4
(f0.0)  goto.b (16|M0)  L0   L0
L3:
(f0.0)  while (16|M0)   L0
        join (16|M0)    L4
L4:
(W)     jmpi            L0
(W&f0.0) jmpi           r9.0
(f0.0)  brd (16|M0)     L0
        brd (16|M0)     r9.0
(f0.0)  brc (16|M0)     L0   L4
        brc (16|M0)     r9.0
        call (16|M0)    r9.0 L0
        calla (16|M0)   r9.0 256
        ret (16|M0)     r9.0
        wait            n0.1<0;1,0>:ud
        send (8|M0)     r10   r20   0xC a0.0
        sends (8|M0)    r10:ud r20 r30 a0.2 a0.0
        sends (8|M0)    null:ud r20 r30 0x8C 0x02026EFE
        sendc (16|M0)   null:uw r120 0x25 0x10031000 {EOT}
        nop
