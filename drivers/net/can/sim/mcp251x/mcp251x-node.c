// SPDX-License-Identifier: GPL-2.0-only
/*
 * Operations of the node of an MCP2510 or MCP2515. Bytes of an SPI transfer
 * that have passed before an event on the bus are handled before it.
 *
 * Context: as for struct can_sim_node_ops.
 */
#include <kunit/visibility.h>

#include "mcp251x-command.h"

/* Return: the chip of a node, which has handled the bytes so far. */
static struct can_sim_mcp251x *mcp_node_sync(struct can_sim_node *node)
{
	struct can_sim_mcp251x *mcp =
		container_of(node, struct can_sim_mcp251x, chip.node);

	can_sim_mcp251x_transfer_sync(mcp);
	return mcp;
}

static bool mcp_node_load(struct can_sim_node *node,
			  struct can_sim_frame *frame)
{
	return can_sim_mcp251x_load(mcp_node_sync(node), frame);
}

static void mcp_node_sent(struct can_sim_node *node)
{
	can_sim_mcp251x_sent(mcp_node_sync(node));
}

static void mcp_node_lost(struct can_sim_node *node, unsigned int bit)
{
	can_sim_mcp251x_not_sent(mcp_node_sync(node), MCP_MLOA);
}

static void mcp_node_received(struct can_sim_node *node,
			      const struct can_sim_frame *frame)
{
	can_sim_mcp251x_received(mcp_node_sync(node), frame);
}

static void mcp_node_error(struct can_sim_node *node,
			   const struct can_sim_error *error)
{
	can_sim_mcp251x_error(mcp_node_sync(node), error);
}

static void mcp_node_counted(struct can_sim_node *node)
{
	can_sim_mcp251x_counted(mcp_node_sync(node));
}

static void mcp_node_woken(struct can_sim_node *node)
{
	struct can_sim_mcp251x *mcp = mcp_node_sync(node);

	if (mcp->loopback_end <= node->bus->now)
		can_sim_mcp251x_loopback_end(mcp);
	can_sim_mcp251x_transfer_timer(mcp);
}

const struct can_sim_node_ops can_sim_mcp251x_ops = {
	.load = mcp_node_load,
	.sent = mcp_node_sent,
	.lost = mcp_node_lost,
	.received = mcp_node_received,
	.error = mcp_node_error,
	.counted = mcp_node_counted,
	.recovered = mcp_node_counted,
	.woken = mcp_node_woken,
};
EXPORT_SYMBOL_IF_KUNIT(can_sim_mcp251x_ops);
