/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An MCP2510 or MCP2515 on a board: chip, SPI controller, and properties of the
 * device.
 */
#ifndef _CAN_SIM_MCP251X_SPI_H
#define _CAN_SIM_MCP251X_SPI_H

#include <linux/atomic.h>
#include <linux/property.h>
#include <linux/types.h>

#include "mcp251x-command.h"

struct device;
struct spi_controller;
struct spi_device;

/**
 * struct can_sim_mcp251x_board - a board
 * @mcp: the chip, with its node on the bus
 * @spi_hz: highest clock of the SPI controller
 * @spi_overhead_ns: duration of each transfer before its first byte, if CS was
 *	inactive
 * @spi_poll_ns: longest transfer for which the CPU busy-waits
 * @half_duplex: the SPI controller cannot send and receive at the same time
 * @cs_change: the SPI controller makes CS inactive between the transfers of a
 *	message that ask for it, otherwise only after the message
 * @spi_mux: the SPI controller defers the preparation of messages
 * @gpio: the driver provides pins of the chip as GPIOs
 * @irq_edge: interrupts at the falling edge of the pin INT, otherwise low level
 * @irq_unreadable: the driver cannot read the level of the pin INT
 * @errors: number of SPI messages to come that fail
 * @controller: the SPI controller, valid while the bus is live
 * @begins: CS was inactive before the next transfer
 * @ends: the current or previous transfer is the last one of a message
 * @messages: SPI messages since the bus became live
 * @transfers: transfers of these messages
 * @bytes: bytes of these transfers
 * @device: the SPI device, NULL unless the bus is live
 * @properties: of @device
 * @properties_node: @properties as a software node
 *
 * Settings, up to @irq_unreadable, are changed while the bus is not live. The
 * SPI core transfers one message at a time, which is the only user of @begins
 * and @ends. @errors is changed at any time.
 * Statistics are protected by the lock of the bus.
 */
struct can_sim_mcp251x_board {
	struct can_sim_mcp251x mcp;
	u32 spi_hz;
	u32 spi_overhead_ns;
	u32 spi_poll_ns;
	bool half_duplex;
	bool cs_change;
	bool spi_mux;
	bool gpio;
	bool irq_edge;
	bool irq_unreadable;
	atomic_t errors;

	struct spi_controller *controller;
	bool begins;
	bool ends;
	u64 messages;
	u64 transfers;
	u64 bytes;

	struct spi_device *device;
	struct property_entry properties[3];
	struct software_node properties_node;
};

int can_sim_mcp251x_spi_up(struct can_sim_mcp251x_board *board,
			   struct device *parent);
void can_sim_mcp251x_spi_down(struct can_sim_mcp251x_board *board);
void can_sim_mcp251x_spi_done(struct can_sim_mcp251x *mcp);

#endif /* !_CAN_SIM_MCP251X_SPI_H */
