// SPDX-License-Identifier: GPL-2.0-only
/* Request to stop the gateway; see stop.h. */
#include <stdatomic.h>
#include <stdint.h>

#include "rt.h"
#include "stop.h"

#define GRACE_NS 1000000000ULL

/* Time of the request, CLOCK_MONOTONIC in ns; 0: none */
static _Atomic uint64_t requested_at;

void stop_request(void)
{
	uint64_t none = 0;

	atomic_compare_exchange_strong(&requested_at, &none, rt_now());
}

bool stop_requested(void)
{
	return atomic_load_explicit(&requested_at, memory_order_relaxed);
}

bool stop_overdue(void)
{
	uint64_t at = atomic_load_explicit(&requested_at, memory_order_relaxed);

	return at && rt_now() - at > GRACE_NS;
}
