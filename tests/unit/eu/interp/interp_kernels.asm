# Kernels of test_interp*.c, for assemble.py.
== if_else
cmp (8|M0) (lt)f0.0 null<1>:d r1.0<8;8,1>:d 4:w
(f0.0) if (8|M0) L1 L2
mov (8|M0) r4.0<1>:d 1:w
else (8|M0) L2 L2
L1:
mov (8|M0) r4.0<1>:d 2:w
L2:
endif (8|M0) L3
L3:
mov (8|M0) r5.0<1>:d 3:w
== loop_break
# r4 = number of iterations until r1 is reached; breaks in a nested if.
mov (8|M0) r4.0<1>:d 0:w
L1:
cmp (8|M0) (ge)f0.0 null<1>:d r4.0<8;8,1>:d r1.0<8;8,1>:d
(f0.0) if (8|M0) L2 L2
break (8|M0) L2 L3
L2:
endif (8|M0) L3
add (8|M0) r4.0<1>:d r4.0<8;8,1>:d 1:w
L3:
while (8|M0) L1
mov (8|M0) r5.0<1>:d 7:w
== loop_cont
# r4 counts all iterations, r5 those with an odd r4; ends at r4 == r1.
mov (8|M0) r4.0<1>:d 0:w
mov (8|M0) r5.0<1>:d 0:w
L1:
add (8|M0) r4.0<1>:d r4.0<8;8,1>:d 1:w
and (8|M0) (eq)f0.1 null<1>:d r4.0<8;8,1>:d 1:w
cmp (8|M0) (lt)f0.0 null<1>:d r4.0<8;8,1>:d r1.0<8;8,1>:d
(f0.1) cont (8|M0) L3 L3
add (8|M0) r5.0<1>:d r5.0<8;8,1>:d 1:w
L3:
(f0.0) while (8|M0) L1
== halt
cmp (8|M0) (lt)f0.0 null<1>:d r1.0<8;8,1>:d 3:w
(f0.0) halt (8|M0) L1 L1
mov (8|M0) r4.0<1>:d 5:w
L1:
halt (8|M0) L2 L2
L2:
mov (8|M0) r5.0<1>:d 6:w
== goto_join
# Forward: channels whose predicate is false jump.
cmp (8|M0) (lt)f0.0 null<1>:d r1.0<8;8,1>:d 4:w
(f0.0) goto (8|M0) L1 L1
mov (8|M0) r4.0<1>:d 1:w
L1:
join (8|M0) L2
L2:
mov (8|M0) r5.0<1>:d 2:w
L3:
add (8|M0) r6.0<1>:d r6.0<8;8,1>:d 1:w
cmp (8|M0) (lt)f0.0 null<1>:d r6.0<8;8,1>:d r1.0<8;8,1>:d
(f0.0) goto.b (8|M0) L4 L3
L4:
join (8|M0) L5
L5:
mov (8|M0) r7.0<1>:d 3:w
== call_ret
(W) mov (1|M0) f0.0<1>:ud 0x0f:ud
(f0.0) call (8|M0) r10.0 L9
mov (8|M0) r5.0<1>:d 2:w
(W) jmpi L10
L9:
mov (8|M0) r4.0<1>:d 1:w
ret (8|M0) r10.0
L10:
mov (8|M0) r6.0<1>:d 3:w
== jump_far
# The test changes the distance.
(W) jmpi L1
L1:
== forever
L1:
(W) jmpi L1
== wait
(W) mov (1|M0) n0.0<1>:ud 0:ud
mov (8|M0) r4.0<1>:d 1:w
wait n0.0<0;1,0>:ud
mov (8|M0) r5.0<1>:d 2:w
== grf_past_end
mov (16|M0) r127.0<1>:d 0:w
== indirect_past_end
(W) mov (1|M0) a0.0<1>:uw 4090:uw
mov (8|M0) r4.0<1>:d r[a0.0,0]<8;8,1>:d
== send_past_end
send (8|M0) null r126 0x2 0x0a000000
== flags_partial
(W) mov (1|M0) f0.0<1>:ud 0xffffffff:ud
cmp (8|M8) (gt)f0.0 null<1>:d r1.0<8;8,1>:d 3:w
(W) mov (1|M0) r4.0<1>:ud f0.0<0;1,0>:ud
cmp (8|M0) (gt)f1.1 r5.0<1>:f r2.0<8;8,1>:f 0x40400000:f
(W) mov (1|M0) r4.1<1>:ud f1.0<0;1,0>:ud
== any_all
(W) mov (1|M0) f0.0<1>:ud 0x0000f120:ud
(f0.0.any4h) mov (16|M0) r4.0<1>:d 1:w
(f0.0.all4h) mov (16|M0) r6.0<1>:d 1:w
(~f0.0.any4h) mov (16|M0) r8.0<1>:d 1:w
(W&f0.0.any16h) mov (1|M0) r10.0<1>:d 1:w
(W&f0.0.all16h) mov (1|M0) r10.1<1>:d 1:w
== mach
mul (8|M0) acc0.0<1>:d r1.0<8;8,1>:d r2.0<16;8,2>:uw
mach (8|M0) r4.0<1>:d r1.0<8;8,1>:d r2.0<8;8,1>:d {AccWrEn}
mul (8|M0) acc0.0<1>:ud r1.0<8;8,1>:ud r2.0<16;8,2>:uw
mach (8|M0) r5.0<1>:ud r1.0<8;8,1>:ud r2.0<8;8,1>:ud {AccWrEn}
mul (8|M0) r6.0<1>:d r1.0<8;8,1>:d r2.0<8;8,1>:d
== carry
addc (8|M8) r4.0<1>:ud r1.0<8;8,1>:ud r2.0<8;8,1>:ud {AccWrEn}
mov (8|M8) r5.0<1>:ud acc0.0<8;8,1>:ud
subb (8|M0) r6.0<1>:ud r1.0<8;8,1>:ud r2.0<8;8,1>:ud {AccWrEn}
mov (8|M0) r7.0<1>:ud acc0.0<8;8,1>:ud
== minmax
sel (8|M0) (ge)f0.0 r4.0<1>:f r1.0<8;8,1>:f r2.0<8;8,1>:f
sel (8|M0) (lt)f0.0 r5.0<1>:f r1.0<8;8,1>:f r2.0<8;8,1>:f
== float_to_int
mov (8|M0) r4.0<1>:d r1.0<8;8,1>:f
mov (8|M0) r5.0<1>:ud r1.0<8;8,1>:f
mov (8|M0) r6.0<2>:w r1.0<8;8,1>:f
mov (8|M0) r7.0<4>:ub r1.0<8;8,1>:f
== denorm
add (8|M0) r4.0<1>:f r1.0<8;8,1>:f 0:f
mov (8|M0) r5.0<1>:f r1.0<8;8,1>:f
sel (8|M0) (ge)f0.0 r6.0<1>:f r1.0<8;8,1>:f r1.0<8;8,1>:f
(W) or (1|M0) cr0.0<1>:ud cr0.0<0;1,0>:ud 0x80:ud {Switch}
add (8|M0) r7.0<1>:f r1.0<8;8,1>:f 0:f
== rounding
add (8|M0) r4.0<1>:f r1.0<8;8,1>:f r2.0<8;8,1>:f
(W) or (1|M0) cr0.0<1>:ud cr0.0<0;1,0>:ud 0x10:ud {Switch}
add (8|M0) r5.0<1>:f r1.0<8;8,1>:f r2.0<8;8,1>:f
(W) xor (1|M0) cr0.0<1>:ud cr0.0<0;1,0>:ud 0x30:ud {Switch}
add (8|M0) r6.0<1>:f r1.0<8;8,1>:f r2.0<8;8,1>:f
mov (8|M0) r7.0<2>:hf r3.0<8;8,1>:f
(W) or (1|M0) cr0.0<1>:ud cr0.0<0;1,0>:ud 0x30:ud {Switch}
add (8|M0) r8.0<1>:f r1.0<8;8,1>:f r2.0<8;8,1>:f
== vectors
mov (8|M0) r4.0<1>:w 0x76543218:v
mov (16|M0) r5.0<1>:uw 0xfedcba98:uv
mov (8|M0) r6.0<1>:f 0x48403020:vf
add (16|M0) r8.0<1>:uw r1.4<2;4,0>:uw 0x11001010:v
== vectors_over_dwords
# Elements lie as words over the destination: 0, 2, 4, 6.
add (4|M0) r4.0<1>:ud r1.0<0;1,0>:uw 0xC080400:uv
mov (4|M0) r5.0<2>:w 0x7060504:v
== conditions_of_64_bits
# What is stored decides: the sum of two large numbers is negative.
add (4|M0) (gt)f0.0 r4.0<1>:q r1.0<4;4,1>:q r2.0<4;4,1>:q
== vx1
(W) mov (8|M0) a0.0<1>:uw r1.0<8;8,1>:uw
(W) mov (8|M0) r4.0<1>:ud r[a0.0,4]<1,0>:ud
(W) mov (8|M0) r5.0<1>:ud r[a0.0,0]<4,1>:ud
mov (8|M0) r[a0.1,32]<1>:ud r2.0<8;8,1>:ud
== three_source
mad (8|M0) r4.0<1>:f r1.0<8;1>:f r2.0<8;1>:f r3.0<0>:f
lrp (8|M0) r5.0<1>:f r1.0<8;1>:f r2.0<8;1>:f r3.0<1>:f
bfe (8|M0) r6.0<1>:d r7.0<8;1>:d r8.0<8;1>:d r9.0<1>:d
bfi2 (8|M0) r10.0<1>:ud r7.0<8;1>:ud r8.0<8;1>:ud r9.0<1>:ud
csel (8|M0) (lt)f0.0 r11.0<1>:f r1.0<8;1>:f r2.0<8;1>:f r3.0<1>:f
== pln
pln (8|M0) r4.0<1>:f r1.4<0;1,0>:f r2.0<8;8,1>:f
pln (16|M0) r6.0<1>:f r1.4<0;1,0>:f r2.0<8;8,1>:f
== bits
lzd (8|M0) r4.0<1>:ud r1.0<8;8,1>:ud
fbh (8|M0) r5.0<1>:ud r1.0<8;8,1>:ud
fbh (8|M0) r6.0<1>:ud r1.0<8;8,1>:d
fbl (8|M0) r7.0<1>:ud r1.0<8;8,1>:ud
cbit (8|M0) r8.0<1>:ud r1.0<8;8,1>:ud
bfrev (8|M0) r9.0<1>:ud r1.0<8;8,1>:ud
bfi1 (8|M0) r10.0<1>:ud r1.0<8;8,1>:ud r2.0<8;8,1>:ud
== saturate
add (8|M0) (sat) r4.0<1>:d r1.0<8;8,1>:d r2.0<8;8,1>:d
add (8|M0) (sat) r5.0<1>:ud r1.0<8;8,1>:ud -r2.0<8;8,1>:ud
mov (8|M0) (sat) r6.0<1>:f r3.0<8;8,1>:f
mov (8|M0) (sat) r7.0<4>:ub r1.0<8;8,1>:d
add (8|M0) (gt)f0.0 r8.0<1>:d r1.0<8;8,1>:d r2.0<8;8,1>:d
(W) mov (1|M0) r9.0<1>:ud f0.0<0;1,0>:ud
== channel_enable
cmp (8|M0) (lt)f0.0 null<1>:d r1.0<8;8,1>:d 4:w
(~f0.0) if (8|M0) L1 L1
(W) mov (1|M0) r4.0<1>:ud ce0.0<0;1,0>:ud
L1:
endif (8|M0) L2
L2:
(W) mov (1|M0) r4.1<1>:ud ce0.0<0;1,0>:ud
(W) mov (1|M0) r4.2<1>:ud sr0.2<0;1,0>:ud
(W) mov (1|M0) sr0.2<1>:ud 0xffff:ud
mov (16|M0) r6.0<1>:ud 1:ud
== wide
mov (4|M0) r4.0<1>:df r1.0<4;4,1>:d
mul (4|M0) r6.0<1>:df r4.0<4;4,1>:df r4.0<4;4,1>:df
mul (4|M0) r8.0<1>:q r1.0<4;4,1>:d r2.0<4;4,1>:d
shl (4|M0) r10.0<1>:uq r1.0<4;4,1>:ud 33:uw
shr (4|M0) r12.0<1>:uq r10.0<4;4,1>:uq 40:uw
add (4|M0) r14.0<1>:q r8.0<4;4,1>:q -r10.0<4;4,1>:q
== intdiv
math.iqot (8|M0) r4.0<1>:d r1.0<8;8,1>:d r2.0<8;8,1>:d
math.irem (8|M0) r5.0<1>:d r1.0<8;8,1>:d r2.0<8;8,1>:d
math.iqot (8|M0) r6.0<1>:ud r1.0<8;8,1>:ud r2.0<8;8,1>:ud
== math
math.inv (8|M0) r10.0<1>:f r1.0<8;8,1>:f
math.log (8|M0) r11.0<1>:f r1.0<8;8,1>:f
math.exp (8|M0) r12.0<1>:f r1.0<8;8,1>:f
math.sqt (8|M0) r13.0<1>:f r1.0<8;8,1>:f
math.rsqt (8|M0) r14.0<1>:f r1.0<8;8,1>:f
math.sin (8|M0) r15.0<1>:f r1.0<8;8,1>:f
math.cos (8|M0) r16.0<1>:f r1.0<8;8,1>:f
math.pow (8|M0) r17.0<1>:f r1.0<8;8,1>:f r2.0<8;8,1>:f
math.fdiv (8|M0) r18.0<1>:f r1.0<8;8,1>:f r2.0<8;8,1>:f
== round
frc (8|M0) r10.0<1>:f r1.0<8;8,1>:f
rndd (8|M0) r11.0<1>:f r1.0<8;8,1>:f
rndu (8|M0) r12.0<1>:f r1.0<8;8,1>:f
rnde (8|M0) r13.0<1>:f r1.0<8;8,1>:f
rndz (8|M0) r14.0<1>:f r1.0<8;8,1>:f
== overlap
mov (8|M0) r1.1<1>:ud r1.0<8;8,1>:ud
mov (16|M0) r3.0<1>:ud r2.0<8;8,1>:ud
mov (8|M0) r6.0<1>:ud r6.3<0;1,0>:ud
== sends
(W) mov (1|M0) a0.0<1>:ud 0x04105e07:ud
(W) mov (1|M0) a0.2<1>:ud 0x0000004c:ud
cmp (8|M0) (lt)f0.0 null<1>:d r1.0<8;8,1>:d 4:w
(f0.0) sends (8|M0) r10:ud r2:ud r4:ud a0.2 a0.0
send (16|M0) r12:w r6:ud 0xc 0x04205e09
== accumulator
mul (16|M0) acc0.0<1>:f r1.0<8;8,1>:f r3.0<8;8,1>:f
mac (16|M0) r5.0<1>:f r1.0<8;8,1>:f 2.0:f
mov (8|M8) r7.0<1>:f acc1.0<8;8,1>:f
add (8|M0) r8.0<1>:f r1.0<8;8,1>:f r3.0<8;8,1>:f {AccWrEn}
mov (8|M0) r9.0<1>:f -acc0.0<8;8,1>:f
== half
add (8|M0) r4.0<1>:hf r1.0<8;8,1>:hf r2.0<8;8,1>:hf
mov (8|M0) r5.0<1>:f r4.0<8;8,1>:hf
mul (8|M0) r6.0<2>:hf r3.0<8;8,1>:f 2.0:f
sel (8|M0) (ge)f0.0 r7.0<1>:hf r1.0<8;8,1>:hf r2.0<8;8,1>:hf
== bytes
mov (16|M0) r4.0<1>:w r1.0<16;16,1>:b
avg (16|M0) r5.0<1>:uw r1.0<16;16,1>:ub r1.1<16;16,1>:ub
add (16|M0) (sat) r6.0<2>:b r1.0<16;16,1>:b r1.0<16;16,1>:b
and (16|M0) r7.0<1>:uw r1.0<16;16,1>:ub ~r1.0<16;16,1>:ub
sad2 (16|M0) r8.0<1>:uw r1.0<16;16,1>:ub r1.1<16;16,1>:ub
mul (8|M0) r9.0<1>:d r1.0<8;8,1>:w r1.1<8;8,1>:w
asr (8|M0) r10.0<1>:d r1.0<8;8,1>:w 4:w
== macros
math.invm (8|M0) (eo)f0.0 r4.mme0:f r1.nomme:f r2.nomme:f
math.rsqtm (8|M0) (eo)f0.1 r5.mme1:f r2.nomme:f
(W) mov (1|M0) r6.0<1>:ud f0.0<0;1,0>:ud
== dots
dp4 (8|M0) r4.0<1>:f r1.0<8;8,1>:f r2.0<8;8,1>:f
dph (8|M0) r5.0<1>:f r1.0<8;8,1>:f r2.0<8;8,1>:f
dp3 (8|M0) r6.0<1>:f r1.0<8;8,1>:f r2.0<8;8,1>:f
dp2 (8|M0) r7.0<1>:f r1.0<8;8,1>:f r2.0<8;8,1>:f
line (8|M0) r8.0<1>:f r1.0<0;1,0>:f r2.0<8;8,1>:f
== predicated_sel
(W) mov (1|M0) f0.0<1>:ud 0xa5:ud
(f0.0) sel (8|M0) r4.0<1>:d r1.0<8;8,1>:d r2.0<8;8,1>:d
(~f0.0) sel (8|M0) r5.0<1>:f r1.0<8;8,1>:f -r2.0<8;8,1>:f
(f0.0) mov (8|M0) r6.0<1>:d r1.0<8;8,1>:d
(f0.0) add (8|M0) (eq)f0.0 r7.0<1>:d r1.0<8;8,1>:d -3:w
(W) mov (1|M0) r8.0<1>:ud f0.0<0;1,0>:ud
== bool_to_float
mov (8|M0) r4.0<1>:f -r1.0<8;8,1>:d
mov (8|M0) r5.0<1>:f (abs)r1.0<8;8,1>:d
add (8|M0) r6.0<1>:f r1.0<8;8,1>:d 2147483647:d
mov (8|M0) r7.0<1>:f r1.0<8;8,1>:ud
not (8|M0) r8.0<1>:d r1.0<8;8,1>:d
add (8|M0) r9.0<1>:d -r1.0<8;8,1>:d r1.0<0;1,0>:d
== single_flow
# Single program flow: every branch moves all channels.
(W) or (1|M0) cr0.0<1>:ud cr0.0<0;1,0>:ud 0x4:ud
(W) mov (1|M0) f0.0<1>:ud 0:ud
(f0.0) if (8|M0) L1 L2
mov (8|M0) r4.0<1>:d 1:w
else (8|M0) L2 L2
L1:
mov (8|M0) r4.0<1>:d 2:w
L2:
endif (8|M0) L3
L3:
(~f0.0) if (8|M0) L4 L5
mov (8|M0) r5.0<1>:d 1:w
else (8|M0) L5 L5
L4:
mov (8|M0) r5.0<1>:d 2:w
L5:
endif (8|M0) L6
L6:
mov (8|M0) r6.0<1>:d 0:w
L7:
add (8|M0) r6.0<1>:d r6.0<8;8,1>:d 1:w
cmp (8|M0) (ge)f0.0 null<1>:d r6.0<8;8,1>:d 5:w
(f0.0) break (8|M0) L8 L8
add (8|M0) r7.0<1>:d r7.0<8;8,1>:d 1:w
L8:
while (8|M0) L7
(f0.1) goto (8|M0) L9 L9
mov (8|M0) r8.0<1>:d 1:w
L9:
join (8|M0) L10
L10:
mov (8|M0) r9.0<1>:d ce0.0<0;1,0>:ud
call (8|M0) r20.0 L11
mov (8|M0) r11.0<1>:d 2:w
(W) jmpi L12
L11:
mov (8|M0) r10.0<1>:d 1:w
ret (8|M0) r20.0
L12:
cmp (8|M0) (lt)f0.0 null<1>:d r1.0<8;8,1>:d 4:w
(f0.0) halt (8|M0) L13 L14
mov (8|M0) r12.0<1>:d 1:w
L13:
mov (8|M0) r13.0<1>:d 1:w
L14:
halt (8|M0) L15 L15
L15:
mov (8|M0) r14.0<1>:d 1:w
== branch_ctrl
# Channels 4-7 wait at a join inside the block that 0-3 do not enter.
cmp (8|M0) (lt)f0.0 null<1>:d r1.0<8;8,1>:d 4:w
(f0.0) goto (8|M0) L1 L1
cmp (8|M0) (lt)f0.1 null<1>:d r1.0<8;8,1>:d -100:w
(f0.1) if.b (8|M0) L1 L2
mov (8|M0) r4.0<1>:d 1:w
L1:
join (8|M0) L2
mov (8|M0) r5.0<1>:d 2:w
L2:
endif (8|M0) L3
L3:
mov (8|M0) r6.0<1>:d 3:w
== brd
# r6 = max(1, r1): channels go round until they have enough.
mov (8|M0) r6.0<1>:d 0:w
L1:
add (8|M0) r6.0<1>:d r6.0<8;8,1>:d 1:w
cmp (8|M0) (lt)f0.0 null<1>:d r6.0<8;8,1>:d r1.0<8;8,1>:d
(f0.0) brd (8|M0) L1
mov (8|M0) r7.0<1>:d r6.0<8;8,1>:d
# The same distance from a register: two instructions on.
(W) mov (1|M0) r10.0<1>:d 0x30:w
cmp (8|M0) (lt)f0.0 null<1>:d r1.0<8;8,1>:d 3:w
(~f0.0) brd (8|M0) r10.0
mov (8|M0) r8.0<1>:d 1:w
mov (8|M0) r8.0<1>:d 2:w
mov (8|M0) r9.0<1>:d 3:w
== brc
cmp (8|M0) (lt)f0.0 null<1>:d r1.0<8;8,1>:d 3:w
(f0.0) brc (8|M0) L1 L1
mov (8|M0) r4.0<1>:d 5:w
L1:
mov (8|M0) r5.0<1>:d 6:w
# JIP and UIP from a register.
(W) mov (1|M0) r10.0<1>:d 0x20:w
(W) mov (1|M0) r10.1<1>:d 0x30:w
(f0.0) brc (8|M0) r10.0<2;2,1>
mov (8|M0) r6.0<1>:d 7:w
mov (8|M0) r7.0<1>:d 8:w
mov (8|M0) r8.0<1>:d 9:w
== write_ip
(W) add (1|M0) ip:ud ip:ud 0x20:ud
mov (8|M0) r4.0<1>:d 1:w
mov (8|M0) r5.0<1>:d 1:w
(W&f0.0) mov (1|M0) ip:ud 0:ud
mov (8|M0) r6.0<1>:d 1:w
== computed_jump
# What follows is reached by the value of r1.0 only.
jmpi r1.0
mov (8|M0) r4.0<1>:d 1:w
mov (8|M0) r5.0<1>:d 1:w
mov (8|M0) r6.0<1>:d 1:w
== call_register
(W) mov (1|M0) r11.0<1>:d 0x30:w
(f0.0) call (8|M0) r10.0 r11.0
mov (8|M0) r4.0<1>:d 1:w
(W) jmpi L1
mov (8|M0) r5.0<1>:d 2:w
ret (8|M0) r10.0
L1:
mov (8|M0) r6.0<1>:d 3:w
== indexed_moves
(W) mov (8|M0) a0.0<1>:uw r1.0<8;8,1>:uw
movi (8|M0) r4.0<1>:uw r[a0.0]<1,0>:uw
== scattered_moves
(W) mov (16|M0) a0.0<1>:uw r1.0<16;16,1>:uw
smov (16|M0) r[a0.0]<1>:w r2.3<0;1,0>:w 0x1:uw
smov (16|M0) r[a0.1]<1>:w r2.3<0;1,0>:w 0x2:uw
smov (16|M0) r[a0.2]<1>:w r2.3<0;1,0>:w 0x4:uw
smov (16|M0) r[a0.9]<1>:w r2.3<0;1,0>:w 0x200:uw
smov (16|M16) r[a0.15]<1>:w r2.4<0;1,0>:w 0x8000:uw
smov (16|M16) r[a0.0]<1>:w r2.4<0;1,0>:w 0x1:uw
smov (8|M0) r5.0<1>:ud r3.0<8;8,1>:ud 0x5a:uw
smov (8|M0) r6.0<1>:ud r3.0<8;8,1>:ud r4.0<8;8,1>:ud
== math_of_immediates
(W) math.log (1|M0) r4.0<1>:f 0.25:f
math.sqt (8|M0) r5.0<1>:f 2.25:f
math.inv (16|M0) r6.0<1>:f -4.0:f
== half_nans
add (8|M0) r4.0<2>:hf r2.0<16;8,2>:hf r3.0<16;8,2>:hf
mul (8|M0) r5.0<2>:hf r2.0<16;8,2>:hf r3.0<16;8,2>:hf
== group_predicates
(W) mov (1|M0) f0.0<1>:ud r1.0<0;1,0>:ud
(W) mov (1|M0) f1.0<1>:ud r1.1<0;1,0>:ud
(f0.0.any2h) mov (32|M0) r4.0<1>:b 1:w
(f0.0.all2h) mov (32|M0) r5.0<1>:b 1:w
(f0.0.any4h) mov (32|M0) r6.0<1>:b 1:w
(f0.0.all4h) mov (32|M0) r7.0<1>:b 1:w
(f0.0.any8h) mov (32|M0) r8.0<1>:b 1:w
(f0.0.all8h) mov (32|M0) r9.0<1>:b 1:w
(f0.0.any16h) mov (32|M0) r10.0<1>:b 1:w
(f0.0.all16h) mov (32|M0) r11.0<1>:b 1:w
(f0.0.any32h) mov (32|M0) r12.0<1>:b 1:w
(f0.0.all32h) mov (32|M0) r13.0<1>:b 1:w
(f0.0.anyv) mov (32|M0) r14.0<1>:b 1:w
(f0.0.allv) mov (32|M0) r15.0<1>:b 1:w
(~f0.0.any4h) mov (32|M0) r16.0<1>:b 1:w
(~f0.0.allv) mov (32|M0) r17.0<1>:b 1:w
(f0.1.any2h) mov (16|M0) r18.0<1>:b 1:w
(f0.0.all2h) mov (16|M16) r19.0<1>:b 1:w
== word_accumulator
# 33 bits, written by AccWrEn only.
mac (8|M0) r4.0<1>:w r1.0<8;8,1>:w r2.0<8;8,1>:w
mac (8|M0) r5.0<1>:w r1.0<8;8,1>:w r2.0<8;8,1>:w {AccWrEn}
mac (8|M0) (sat)r6.0<1>:w r1.0<8;8,1>:w r2.0<8;8,1>:w
== accumulator_types
# AccWrEn of a comparison, HF in both halves, DF by nibble.
cmp (8|M0) (lt)f0.0 r4.0<1>:d r1.0<8;8,1>:d r2.0<8;8,1>:d {AccWrEn}
mov (8|M0) r5.0<1>:d acc0.0<8;8,1>:d
mov (16|M0) acc0.0<1>:hf r6.0<16;16,1>:hf
mov (16|M0) acc1.0<1>:hf r7.0<16;16,1>:hf
mov (16|M0) r8.0<1>:hf acc0.0<16;16,1>:hf
mov (16|M0) r9.0<1>:hf acc1.0<16;16,1>:hf
mul (16|M0) r10.0<1>:hf r6.0<16;16,1>:hf r7.0<16;16,1>:hf {AccWrEn}
mac (16|M0) r11.0<1>:hf r6.0<16;16,1>:hf r7.0<16;16,1>:hf
add (4|M0) r12.0<1>:df r14.0<4;4,1>:df r14.0<4;4,1>:df {AccWrEn}
add (4|M4) r13.0<1>:df r15.0<4;4,1>:df r15.0<4;4,1>:df {AccWrEn}
mac (4|M0) r16.0<1>:df r14.0<4;4,1>:df r15.0<4;4,1>:df
mac (4|M4) r17.0<1>:df r14.0<4;4,1>:df r15.0<4;4,1>:df
== half_modes
# r1, r2, r3: HF; r10, r11: the same as F. cr0 is the test's.
mov (8|M0) r4.0<1>:hf r1.0<8;8,1>:hf
add (8|M0) r5.0<1>:hf r1.0<8;8,1>:hf r2.0<8;8,1>:hf
mul (8|M0) r6.0<1>:hf r1.0<8;8,1>:hf r2.0<8;8,1>:hf
sel (8|M0) (lt)f0.0 r7.0<1>:hf r1.0<8;8,1>:hf r2.0<8;8,1>:hf
cmp (8|M0) (eq)f0.0 null<1>:hf r1.0<8;8,1>:hf r2.0<8;8,1>:hf
# mixed: HF is a format only
add (8|M0) r8.0<1>:f r1.0<8;8,1>:hf r11.0<8;8,1>:f
add (8|M0) r9.0<2>:hf r1.0<8;8,1>:hf r11.0<8;8,1>:f
mov (8|M0) r12.0<1>:f r1.0<8;8,1>:hf
cmp (8|M0) (eq)f0.1 null<1>:f r1.0<8;8,1>:hf r11.0<8;8,1>:f
== half_mad
mad (8|M0) r4.0<1>:hf r1.0<8;1>:hf r2.0<8;1>:hf r3.0<1>:hf
mad (8|M0) (sat)r5.0<1>:hf r1.0<8;1>:hf r2.0<8;1>:hf r3.0<1>:hf
== quiet_nan
frc (8|M0) r4.0<1>:f r1.0<8;8,1>:f
rndd (8|M0) r5.0<1>:f r1.0<8;8,1>:f
rndu (8|M0) r6.0<1>:f r1.0<8;8,1>:f
rnde (8|M0) r7.0<1>:f r1.0<8;8,1>:f
rndz (8|M0) r8.0<1>:f r1.0<8;8,1>:f
mov (8|M0) r9.0<1>:f r1.0<8;8,1>:f
mov (8|M0) r10.0<1>:f -r1.0<8;8,1>:f
add (8|M0) r11.0<1>:f r1.0<8;8,1>:f 1.0:f
sel (8|M0) (lt)f0.0 r12.0<1>:f r1.0<8;8,1>:f 1.0:f
mov (8|M0) r13.0<1>:hf r2.0<8;8,1>:hf
mov (8|M0) r14.0<1>:f r2.0<8;8,1>:hf
(W) mov (1|M0) f0.0<1>:ud 0x55:ud
(f0.0) sel (8|M0) r15.0<1>:hf r2.0<8;8,1>:hf -r2.0<8;8,1>:hf
== quadwords
add (8|M0) r10.0<1>:q r2.0<4;4,1>:q r4.0<4;4,1>:q
add (8|M0) (sat)r12.0<1>:q r2.0<4;4,1>:q r4.0<4;4,1>:q
add (8|M0) (sat)r14.0<1>:uq r2.0<4;4,1>:uq -r4.0<4;4,1>:uq
cmp (8|M0) (lt)f0.0 r16.0<1>:q r2.0<4;4,1>:q r4.0<4;4,1>:q
cmp (8|M0) (lt)f0.1 null<1>:uq r2.0<4;4,1>:uq r4.0<4;4,1>:uq
sel (8|M0) (lt)f0.0 r18.0<1>:q r2.0<4;4,1>:q r4.0<4;4,1>:q
asr (8|M0) r20.0<1>:q r2.0<4;4,1>:q 33:w
shr (8|M0) r22.0<1>:uq r2.0<4;4,1>:uq 63:w
shl (8|M0) r24.0<1>:q r2.0<4;4,1>:q 65:w
mul (8|M0) r26.0<1>:q r6.0<8;8,1>:d r7.0<8;8,1>:d
mul (8|M0) r28.0<1>:uq r6.0<8;8,1>:ud r7.0<8;8,1>:ud
and (8|M0) r30.0<1>:uq r2.0<4;4,1>:uq ~r4.0<4;4,1>:uq
mov (8|M0) r32.0<1>:q (abs)r2.0<4;4,1>:q
mov (8|M0) (sat)r34.0<1>:d r2.0<4;4,1>:q
add (8|M0) (ov)f1.0 r36.0<1>:q r2.0<4;4,1>:q r4.0<4;4,1>:q
== doubles
add (8|M0) r10.0<1>:df r2.0<4;4,1>:df r4.0<4;4,1>:df
mul (8|M0) (sat)r12.0<1>:df r2.0<4;4,1>:df r4.0<4;4,1>:df
mov (8|M0) r14.0<1>:df r2.0<4;4,1>:df
cmp (8|M0) (eq)f0.0 r16.0<1>:df r2.0<4;4,1>:df r4.0<4;4,1>:df
sel (8|M0) (ge)f0.0 r18.0<1>:df r2.0<4;4,1>:df r4.0<4;4,1>:df
cmpn (8|M0) (lt)f0.1 null<1>:df r2.0<4;4,1>:df r4.0<4;4,1>:df
add (8|M0) (un)f1.0 null<1>:df r2.0<4;4,1>:df r4.0<4;4,1>:df
mov (8|M0) r20.0<1>:f r2.0<4;4,1>:df
== unusual_flags
# Overflow and unordered; Q2 and a nibble; PredInv; csel; cmpn.
add (8|M0) (ov)f0.0 r4.0<1>:w r1.0<8;8,1>:w r2.0<8;8,1>:w
add (8|M8) (un)f0.0 null<1>:f r10.0<8;8,1>:f r11.0<8;8,1>:f
cmpn (8|M16) (lt)f0.0 null<1>:f r10.0<8;8,1>:f r11.0<8;8,1>:f
cmp (4|M28) (ne)f0.0 null<1>:d r12.0<4;4,1>:d 0:w
csel (8|M0) (un)f1.0 r13.0<1>:f r10.0<8;1>:f r11.0<8;1>:f r10.0<1>:f
csel (8|M0) (ne)f1.0 r14.0<1>:f r10.0<8;1>:f r11.0<8;1>:f r10.0<1>:f
(~f0.0) mov (8|M8) r15.0<1>:d 1:w
== state_registers
(W) mov (1|M0) sr0.2<1>:ud 0x0f:uw
mov (8|M0) r4.0<1>:d 1:w
(W) mov (1|M0) sr0.3<1>:ud 0xf0:uw
(W) or (1|M0) cr0.0<1>:ud cr0.0<0;1,0>:ud 8:ud
mov (8|M0) r5.0<1>:d 1:w
(W) mov (1|M0) tm0.0<1>:ud 5:ud
(W) mov (2|M0) r6.0<1>:ud tm0.0<2;2,1>:ud
(W) mov (1|M0) r6.2<1>:ud tm0.0<0;1,0>:ud
(W) mov (8|M0) r7.0<1>:uw tdr0.0<8;8,1>:uw
(W) mov (1|M0) r8.0<1>:ud ip:ud
(W) mov (1|M0) r8.1<1>:ud sr0.0<0;1,0>:ud
(W) mov (1|M0) n0.1<1>:ud 3:ud
(W) mov (1|M0) r8.2<1>:ud n0.1<0;1,0>:ud
== indirect_words
# VxH of words, Vx1 of bytes, an indirect destination behind a mask.
(W) mov (16|M0) a0.0<1>:uw r1.0<16;16,1>:uw
mov (8|M0) r4.0<1>:w r[a0.0,2]<4,1>:w
mov (8|M0) r5.0<1>:w r[a0.2,-3]<1,0>:b
mov (8|M0) r[a0.1,4]<2>:w r2.0<8;8,1>:w
mov (16|M0) r10.0<1>:uw 0x76543210:v
mov (32|M0) r11.0<1>:uw 0xfedcba98:uv
mov (16|M0) r13.0<1>:f 0x00C03020:vf

== ext_math
# r2: x, r4: y; the functions of extended math in this order.
math.log (16|M0) r10.0<1>:f r2.0<8;8,1>:f
math.log (8|M0) r22.0<1>:f r2.0<8;8,1>:f
(W) math.log (4|M0) r28.0<1>:f r2.0<4;4,1>:f
(W) math.log (1|M0) r34.0<1>:f r2.0<0;1,0>:f
math.exp (16|M0) r12.0<1>:f r2.0<8;8,1>:f
math.exp (8|M0) r23.0<1>:f r2.0<8;8,1>:f
(W) math.exp (4|M0) r29.0<1>:f r2.0<4;4,1>:f
(W) math.exp (1|M0) r35.0<1>:f r2.0<0;1,0>:f
math.rsqt (16|M0) r14.0<1>:f r2.0<8;8,1>:f
math.rsqt (8|M0) r24.0<1>:f r2.0<8;8,1>:f
(W) math.rsqt (4|M0) r30.0<1>:f r2.0<4;4,1>:f
(W) math.rsqt (1|M0) r36.0<1>:f r2.0<0;1,0>:f
math.sin (16|M0) r16.0<1>:f r2.0<8;8,1>:f
math.sin (8|M0) r25.0<1>:f r2.0<8;8,1>:f
(W) math.sin (4|M0) r31.0<1>:f r2.0<4;4,1>:f
(W) math.sin (1|M0) r37.0<1>:f r2.0<0;1,0>:f
math.cos (16|M0) r18.0<1>:f r2.0<8;8,1>:f
math.cos (8|M0) r26.0<1>:f r2.0<8;8,1>:f
(W) math.cos (4|M0) r32.0<1>:f r2.0<4;4,1>:f
(W) math.cos (1|M0) r38.0<1>:f r2.0<0;1,0>:f
math.pow (16|M0) r20.0<1>:f r2.0<8;8,1>:f r4.0<8;8,1>:f
math.pow (8|M0) r27.0<1>:f r2.0<8;8,1>:f r4.0<8;8,1>:f
(W) math.pow (4|M0) r33.0<1>:f r2.0<4;4,1>:f r4.0<4;4,1>:f
(W) math.pow (1|M0) r39.0<1>:f r2.0<0;1,0>:f r4.0<0;1,0>:f
(W) send (8|M0) null r10 0xc 0x1e000000
(W) send (8|M0) null r25 0xc 0x1e000000

== sqrt
# r2 to r17: numbers; r20 on: their roots, sent in two messages.
math.sqt (16|M0) r20.0<1>:f r2.0<8;8,1>:f
math.sqt (16|M0) r22.0<1>:f r4.0<8;8,1>:f
math.sqt (16|M0) r24.0<1>:f r6.0<8;8,1>:f
math.sqt (16|M0) r26.0<1>:f r8.0<8;8,1>:f
math.sqt (16|M0) r28.0<1>:f r10.0<8;8,1>:f
math.sqt (16|M0) r30.0<1>:f r12.0<8;8,1>:f
math.sqt (16|M0) r32.0<1>:f r14.0<8;8,1>:f
math.sqt (8|M0) r34.0<1>:f r16.0<8;8,1>:f
math.sqt (8|M8) r35.0<1>:f r17.0<8;8,1>:f
(W) send (8|M0) null r20 0xc 0x10000000
(W) send (8|M0) null r28 0xc 0x10000000
