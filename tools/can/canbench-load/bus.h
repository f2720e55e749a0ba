/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Simulated buses of cansim, in configfs. Main thread only. All errors end the program
 * with CLI_SYSTEM and a message.
 */
#ifndef CANBENCH_LOAD_BUS_H
#define CANBENCH_LOAD_BUS_H

#include "busattr.h"

/* bus_need() - load the module and mount configfs if necessary. */
void bus_need(void);

/* bus_make() - create bus @bus. */
void bus_make(const char *bus);

/*
 * bus_node() - create a node on a bus; @kind is KIND[:ATTRIBUTE=VALUE...], @name the name
 * of its interface. The name of its directory, KIND.NAME, is written to @node.
 */
#define BUS_NODE_NAME 64
void bus_node(const char *bus, const char *kind, const char *name, char node[BUS_NODE_NAME]);

/* bus_connect() - let the trigger @trigger on @bus start the bursts of @generator on @other. */
void bus_connect(const char *bus, const char *trigger, const char *other,
		 const char *generator);

/* bus_live() - make it live; interfaces get the names that bus_node() was given. */
void bus_live(const char *bus);

/* bus_remove_all() - remove all buses; may be called at any time and repeatedly. */
void bus_remove_all(void);

#endif
