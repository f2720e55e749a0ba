/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The path of frames in gateway tests: they are sent on the vcan interface "src",
 * routed to the vxcan interface "dst" by rules of the test, and received at its peer
 * "far".
 */
#ifndef GW_PATH_H
#define GW_PATH_H

/**
 * struct gw_path - interfaces and sockets, for Classical CAN and CAN FD
 * @src: index of the interface that rules read from
 * @dst: index of the interface that rules write to
 * @tx: socket to send frames on "src"
 * @rx: socket to receive frames on "far"
 */
struct gw_path {
	int src;
	int dst;
	int tx;
	int rx;
};

/**
 * gw_path_open() - make the interfaces and open the sockets
 * @path: filled in
 * @src_mtu: MTU of "src"; that of the others is CANFD_MTU
 *
 * The caller moves to a new network namespace and stays on one CPU from now
 * on: frames then pass one queue, in order.
 *
 * Return: 0, or a negative errno value.
 */
int gw_path_open(struct gw_path *path, int src_mtu);

#endif /* GW_PATH_H */
