/* SPDX-License-Identifier: GPL-2.0-only */
/* One method at a time is measured, as often as wanted. One thread. */
#ifndef CANBENCH_MEASURE_H
#define CANBENCH_MEASURE_H

#include "bench.h"

#define REPEAT_MAX 1000

/**
 * struct figure - what a frame costs with one method
 * @name: of the method, and the batch where it has one
 * @ns: per frame; @repeats of them were measured
 */
struct figure {
	const struct method *method;
	unsigned int batch;
	char name[32];
	double ns[REPEAT_MAX];
	unsigned int repeats;
};

enum outcome {
	OUTCOME_DONE,
	OUTCOME_STOPPED,	/* by a signal */
	OUTCOME_LOST,		/* frames were missing; a message says which */
};

/*
 * measure() - fill in @figure, @repeat times; repeats that were completed stay
 * valid. Ends the program if the interface goes down.
 */
enum outcome measure(const struct bench *bench, struct figure *figure, unsigned int repeat);

/* measure_probe() - see that the method works here, or end the program. */
void measure_probe(const struct bench *bench, const struct figure *figure);

#endif
