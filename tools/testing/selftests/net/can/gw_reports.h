/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the kernel reports during a test: warnings, by which it is tainted, and leaks of
 * the gateway, if it has kmemleak. Both are those of the whole kernel, so they only count
 * if ct_own_machine().
 */
#ifndef GW_REPORTS_H
#define GW_REPORTS_H

#include <stdbool.h>

/**
 * struct gw_reports - a test that looks for reports
 * @taint: the kernel was tainted like this
 * @leaks: look for leaks
 */
struct gw_reports {
	unsigned long taint;
	bool leaks;
};

/** gw_reports_begin() - forget the reports that there are */
void gw_reports_begin(struct gw_reports *reports);

/** gw_reports_count() - number of reports since then, which are printed */
int gw_reports_count(const struct gw_reports *reports);

#endif /* GW_REPORTS_H */
