// SPDX-License-Identifier: GPL-2.0-only
/*
 * A simulated SPI controller with one chip select.
 *
 * A transfer takes the time of its bytes at its clock, and the first one after CS
 * was inactive an overhead before them. During a short transfer the CPU
 * busy-waits; during a longer one it sleeps until the interrupt of the bus's
 * timer. Drivers of real controllers do the same (spi-bcm2835 and spi-imx by
 * default up to 30 microseconds). Others have no choice: controllers without a
 * FIFO interrupt for each byte, and those with DMA never busy-wait.
 *
 * The chip handles each byte at its time even if the CPU is late, with one
 * exception: during busy-waiting, a byte that changes something on the bus is
 * handled by the loop, so it is late if the loop was preempted.
 *
 * Contexts and locks: the SPI core calls everything here in process context,
 * for one message at a time, except can_sim_mcp251x_spi_done(), which the bus's
 * timer calls. The chip and the statistics are protected by the lock of the
 * bus.
 */
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/math64.h>
#include <linux/processor.h>
#include <linux/spi/spi.h>
#include <linux/time64.h>

#include "mcp251x-spi.h"

static struct can_sim_mcp251x_board *
mcp251x_spi_board(struct spi_controller *controller)
{
	return *(struct can_sim_mcp251x_board **)
		spi_controller_get_devdata(controller);
}

/* The SPI core does this unless the preparation is deferred. */
static void mcp251x_spi_set_speeds(struct spi_message *message)
{
	struct spi_transfer *transfer;

	list_for_each_entry(transfer, &message->transfers, transfer_list)
		if (!transfer->speed_hz)
			transfer->speed_hz = message->spi->max_speed_hz;
}

static int mcp251x_spi_prepare_message(struct spi_controller *controller,
				       struct spi_message *message)
{
	struct can_sim_mcp251x_board *board = mcp251x_spi_board(controller);
	struct can_sim_node *node = &board->mcp.chip.node;
	unsigned long flags;

	if (atomic_dec_if_positive(&board->errors) >= 0)
		return -EIO;
	mcp251x_spi_set_speeds(message);
	flags = can_sim_lock_untimed(node);
	board->messages++;
	can_sim_unlock(node, flags);
	return 0;
}

static void mcp251x_spi_set_cs(struct spi_device *device, bool level)
{
	struct can_sim_mcp251x_board *board =
		mcp251x_spi_board(device->controller);
	struct can_sim_node *node = &board->mcp.chip.node;
	unsigned long flags;

	if (level && !board->cs_change && !board->ends)
		return;
	if (level)
		board->begins = true;
	flags = can_sim_lock_untimed(node);
	can_sim_mcp251x_select(&board->mcp, !level);
	can_sim_unlock(node, flags);
}

static u64 mcp251x_spi_transfer_ns(const struct spi_transfer *transfer)
{
	return div_u64((u64)transfer->len * BITS_PER_BYTE * NSEC_PER_SEC,
		       transfer->speed_hz);
}

/* Return: time for mcp251x_spi_continue_transfer(), or 0 if the bus's timer
 * handles the transfer.
 */
static u64 mcp251x_spi_begin_transfer(struct can_sim_mcp251x_board *board,
				      const struct spi_transfer *transfer)
{
	struct can_sim_node *node = &board->mcp.chip.node;
	u32 overhead_ns = board->begins ? board->spi_overhead_ns : 0;
	u64 duration = overhead_ns + mcp251x_spi_transfer_ns(transfer);
	struct can_sim_mcp251x_transfer begun = {
		.tx = transfer->tx_buf,
		.rx = transfer->rx_buf,
		.len = transfer->len,
		.hz = transfer->speed_hz,
		.timed = duration > board->spi_poll_ns,
	};
	unsigned long flags = can_sim_lock(node);
	u64 due;

	board->begins = false;
	board->transfers++;
	board->bytes += transfer->len;
	begun.start = node->bus->now + overhead_ns;
	can_sim_mcp251x_transfer_begin(&board->mcp, &begun);
	due = begun.timed ? 0 : can_sim_mcp251x_transfer_due(&board->mcp);
	can_sim_unlock(node, flags);
	return due;
}

/* Return: time of the next call, or 0 if the transfer has ended. */
static u64 mcp251x_spi_continue_transfer(struct can_sim_mcp251x_board *board)
{
	struct can_sim_node *node = &board->mcp.chip.node;
	unsigned long flags = can_sim_lock_untimed(node);
	u64 due = 0;

	if (!can_sim_mcp251x_transfer_run(&board->mcp))
		due = can_sim_mcp251x_transfer_due(&board->mcp);
	can_sim_unlock(node, flags);
	return due;
}

static int mcp251x_spi_transfer_one(struct spi_controller *controller,
				    struct spi_device *device,
				    struct spi_transfer *transfer)
{
	struct can_sim_mcp251x_board *board = mcp251x_spi_board(controller);
	u64 due;

	board->ends = list_is_last(&transfer->transfer_list,
				   &controller->cur_msg->transfers);
	due = mcp251x_spi_begin_transfer(board, transfer);
	transfer->effective_speed_hz = transfer->speed_hz;
	if (!due)
		return 1;	/* under way, see spi_transfer_one_message() */
	while (due) {
		while (ktime_get_ns() < due)
			cpu_relax();
		due = mcp251x_spi_continue_transfer(board);
	}
	return 0;
}

/**
 * can_sim_mcp251x_spi_done() - report the end of a timed transfer to the SPI core
 * @mcp: the chip, on a board
 *
 * Context: as for struct can_sim_node_ops.
 */
void can_sim_mcp251x_spi_done(struct can_sim_mcp251x *mcp)
{
	struct can_sim_mcp251x_board *board =
		container_of(mcp, struct can_sim_mcp251x_board, mcp);

	spi_finalize_current_transfer(board->controller);
}

/* Called after a timeout of the SPI core */
static void mcp251x_spi_handle_error(struct spi_controller *controller,
				     struct spi_message *message)
{
	struct can_sim_mcp251x_board *board = mcp251x_spi_board(controller);
	struct can_sim_node *node = &board->mcp.chip.node;
	unsigned long flags = can_sim_lock_untimed(node);

	can_sim_mcp251x_transfer_cancel(&board->mcp);
	can_sim_unlock(node, flags);
}

/**
 * can_sim_mcp251x_spi_up() - make the SPI controller of a board
 * @board: with its settings; the chip is on a bus and has power
 * @parent: of the controller
 *
 * Context: Process context; may sleep.
 * Return: 0 or a negative errno.
 */
int can_sim_mcp251x_spi_up(struct can_sim_mcp251x_board *board,
			   struct device *parent)
{
	struct spi_controller *controller;
	int ret;

	controller = spi_alloc_host(parent, sizeof(board));
	if (!controller)
		return -ENOMEM;
	*(struct can_sim_mcp251x_board **)
		spi_controller_get_devdata(controller) = board;
	controller->bus_num = -1;
	controller->num_chipselect = 1;
	controller->mode_bits = SPI_CPOL | SPI_CPHA;
	controller->bits_per_word_mask = SPI_BPW_MASK(8);
	controller->max_speed_hz = board->spi_hz;
	controller->flags = board->half_duplex ? SPI_CONTROLLER_HALF_DUPLEX : 0;
	controller->defer_optimize_message = board->spi_mux;
	controller->prepare_message = mcp251x_spi_prepare_message;
	controller->set_cs = mcp251x_spi_set_cs;
	controller->transfer_one = mcp251x_spi_transfer_one;
	controller->handle_err = mcp251x_spi_handle_error;
	board->controller = controller;
	board->begins = true;
	board->ends = true;
	board->messages = 0;
	board->transfers = 0;
	board->bytes = 0;
	ret = spi_register_controller(controller);
	if (ret)
		spi_controller_put(controller);
	return ret;
}

/**
 * can_sim_mcp251x_spi_down() - remove the SPI controller of a board
 * @board: with a controller
 *
 * The driver is unbound from the device. Afterwards no transfer is under way.
 *
 * Context: Process context; may sleep.
 */
void can_sim_mcp251x_spi_down(struct can_sim_mcp251x_board *board)
{
	spi_unregister_controller(board->controller);
	board->controller = NULL;
	board->device = NULL;
}
