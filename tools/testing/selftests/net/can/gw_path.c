// SPDX-License-Identifier: GPL-2.0-only
/* The path of frames through the gateway: see gw_path.h. */
#include <errno.h>
#include <unistd.h>
#include <net/if.h>

#include "cantest.h"
#include "gw_path.h"

int gw_path_open(struct gw_path *path, int src_mtu)
{
	int far, err = ct_netns_new() ?: ct_pin_cpu();

	if (err)
		return err;

	path->src = ct_vcan_add("src", src_mtu);
	if (path->src < 0)
		return path->src;
	path->dst = ct_vxcan_add("dst", "far", -1, CANFD_MTU);
	if (path->dst < 0)
		return path->dst;
	far = if_nametoindex("far");
	if (!far)
		return -ENODEV;

	path->tx = ct_raw_open_fd(path->src);
	if (path->tx < 0)
		return path->tx;
	path->rx = ct_raw_open_fd(far);
	return path->rx < 0 ? path->rx : 0;
}
