/* SPDX-License-Identifier: GPL-2.0-only */
/* Measurement of one method at a time. One thread. */
#ifndef CANBENCH_MEASURE_H
#define CANBENCH_MEASURE_H

#include "bench.h"

#define REPEAT_MAX 1000

/**
 * struct figure - cost of a frame with one method
 * @name: name of the method, with the batch if it has one
 * @ns: cost per frame; @repeats entries are valid
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
	OUTCOME_STOPPED,	/* interrupted by a signal */
	OUTCOME_LOST,		/* frames were lost; a message was printed */
};

/*
 * measure() - measure @figure @repeat times; completed repeats stay valid. Exits if the
 * interface goes down.
 */
enum outcome measure(const struct bench *bench, struct figure *figure, unsigned int repeat);

/* measure_probe() - exit unless the method works on this host. */
void measure_probe(const struct bench *bench, const struct figure *figure);

#endif
