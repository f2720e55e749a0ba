// SPDX-License-Identifier: GPL-2.0-only
/*
 * The version. Only this file is compiled again when it changes.
 */
#include "version.h"

const char tools_version[] = TOOLS_VERSION;
