/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CRC-8 tables: from a polynomial, and the polynomial of a table.
 */
#ifndef CANROUTE_CRC8_H
#define CANROUTE_CRC8_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/can/gw_netlink.h>

/**
 * crc8_table() - the table for a polynomial
 * @poly: without its highest term, x^7 in the highest bit
 * @reflected: bytes and CRC are processed with the lowest bit first
 */
void crc8_table(uint8_t table[CAN_GW_CRC8_TABLE_LEN], uint8_t poly, bool reflected);

/* crc8_poly() - find the polynomial of a table. False: no polynomial gives this table. */
bool crc8_poly(const uint8_t table[CAN_GW_CRC8_TABLE_LEN], uint8_t *poly, bool *reflected);

#endif
