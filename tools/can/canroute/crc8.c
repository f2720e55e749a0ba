// SPDX-License-Identifier: GPL-2.0-only
/*
 * CRC-8 tables. The kernel looks up table[crc ^ byte] for each byte, so the bit order is a
 * property of the table.
 */
#include <string.h>

#include "crc8.h"

static uint8_t reverse_bits(uint8_t byte)
{
	uint8_t reversed = 0;

	for (int i = 0; i < 8; i++)
		reversed |= (byte >> i & 1) << (7 - i);
	return reversed;
}

static uint8_t crc8_remainder(uint8_t byte, uint8_t poly)
{
	for (int i = 0; i < 8; i++)
		byte = byte << 1 ^ (byte & 0x80 ? poly : 0);
	return byte;
}

/* The remainder is linear: that of a ^ b is the remainder of a ^ the remainder of b. */
void crc8_table(uint8_t table[CAN_GW_CRC8_TABLE_LEN], uint8_t poly, bool reflected)
{
	table[0] = 0;
	for (int bit = 1; bit < CAN_GW_CRC8_TABLE_LEN; bit <<= 1) {
		uint8_t rest = reflected ? reverse_bits(crc8_remainder(reverse_bits(bit), poly)) :
			       crc8_remainder(bit, poly);

		for (int i = 0; i < bit; i++)
			table[bit + i] = table[i] ^ rest;
	}
}

bool crc8_poly(const uint8_t table[CAN_GW_CRC8_TABLE_LEN], uint8_t *poly, bool *reflected)
{
	uint8_t wanted[CAN_GW_CRC8_TABLE_LEN];

	/* The remainder of the lowest bit is the polynomial. */
	*poly = table[1];
	*reflected = false;
	crc8_table(wanted, *poly, *reflected);
	if (!memcmp(table, wanted, sizeof(wanted)))
		return true;
	*poly = reverse_bits(table[0x80]);
	*reflected = true;
	crc8_table(wanted, *poly, *reflected);
	return !memcmp(table, wanted, sizeof(wanted));
}
