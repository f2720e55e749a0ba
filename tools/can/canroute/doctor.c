// SPDX-License-Identifier: GPL-2.0-only
/*
 * Command doctor: report what is wrong on this host, with the commands that mend it. It
 * changes nothing.
 */
#include "cli.h"
#include "doctor-dkms.h"
#include "doctor-files.h"
#include "doctor-interface.h"
#include "doctor-kernel.h"
#include "doctor-module.h"
#include "doctor-report.h"
#include "doctor-rules.h"
#include "doctor-thread.h"
#include "options.h"

int command_doctor(const struct options *options)
{
	struct doctor_kernel kernel;
	struct report report;
	bool gateway;

	report_begin(&report);
	doctor_kernel(&report, &kernel);
	gateway = doctor_modules(&report, &kernel);
	doctor_dkms(&report, &kernel);
	doctor_interfaces(&report, gateway);
	doctor_threads(&report, kernel.rt);
	doctor_rules(&report, options->count ? options->args[0] : NULL);
	return report_print(&report, options->json) ? STATUS_FINDINGS : CLI_OK;
}
