/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CAN_TOOLS_VERSION_H
#define CAN_TOOLS_VERSION_H

/* Version of all programs: the makefile's variable VERSION. */
extern const char tools_version[];

#endif
