# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2034 # what is set here is for who sources it

BENCH_ABOUT='System calls on vcan: the cost per frame of reading from a full receive queue with read(), recv(),
recvmmsg(N), a PF_PACKET ring and io_uring (N frames per call), and of sending to a reader with write(), sendmmsg(N), a
PF_PACKET ring and io_uring. The work of the kernel when a frame arrives is counted for the sender, and is more for a
ring than for a socket. The PF_PACKET ring sends without a reader, because vcan delivers only frames that CAN sockets
send. The method is that of the virtual CAN interface in "Performance evaluation of Linux CAN-related system calls"
(2014), 3.1.'

bench() {
	vcans vcan0
	measure "8 bytes" canbench-syscalls --frames 100 --repeat 25 vcan0
}
