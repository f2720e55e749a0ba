# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2034 # what is set here is for who sources it

BENCH_ABOUT='System calls on a CAN interface in software (vcan): the cost per frame of
reading from a full receive queue by read(), recv(), recvmmsg(N), a PF_PACKET ring and io_uring (N frames
each time it is entered), and of sending to a reader by write(), sendmmsg(N), a PF_PACKET ring and
io_uring. What the kernel does when a frame arrives is counted with the sender, and is more for a ring than for a socket;
the ring to send with has no reader, because vcan passes on what sockets send only. The method is that of the
virtual CAN interface in "Performance evaluation of Linux CAN-related system calls" (2014), 3.1.'

bench() {
	vcans vcan0
	measure "8 bytes" canbench-syscalls --frames 100 --repeat 25 vcan0
}
