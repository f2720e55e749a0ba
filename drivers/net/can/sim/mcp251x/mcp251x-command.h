/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * SPI commands and transfers of the MCP2510 and MCP2515, and the operations of
 * their node on the bus. Both are built on the registers in mcp251x-model.h.
 *
 * Contexts and locks: as there.
 */
#ifndef _CAN_SIM_MCP251X_COMMAND_H
#define _CAN_SIM_MCP251X_COMMAND_H

#include "mcp251x-model.h"

/* mcp251x-command.c */

void can_sim_mcp251x_select(struct can_sim_mcp251x *mcp, bool selected);
u8 can_sim_mcp251x_byte(struct can_sim_mcp251x *mcp, u8 in);
void can_sim_mcp251x_transfer_begin(struct can_sim_mcp251x *mcp,
				    const struct can_sim_mcp251x_transfer *transfer);
u64 can_sim_mcp251x_transfer_due(const struct can_sim_mcp251x *mcp);
void can_sim_mcp251x_transfer_sync(struct can_sim_mcp251x *mcp);
bool can_sim_mcp251x_transfer_run(struct can_sim_mcp251x *mcp);
void can_sim_mcp251x_transfer_timer(struct can_sim_mcp251x *mcp);
void can_sim_mcp251x_transfer_cancel(struct can_sim_mcp251x *mcp);

/* mcp251x-node.c */

extern const struct can_sim_node_ops can_sim_mcp251x_ops;

#endif /* !_CAN_SIM_MCP251X_COMMAND_H */
