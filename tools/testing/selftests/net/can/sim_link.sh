#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The cases of can_link.sh with simulated SJA1000 controllers, which behave as the
# emulated ones if there are no errors on the bus.

# shellcheck source=can_link.sh
. "$(dirname "$0")/can_link.sh"

SIM=/sys/kernel/config/cansim
BUS=$SIM/simlink

MOUNTED=""
MADE=""

# restore() - remove the bus and its controllers
restore()
{
	if [ "$MADE" ]; then
		echo 0 > $BUS/live
		rmdir $BUS/* $BUS 2> /dev/null
	fi
	[ -z "$MOUNTED" ] || umount /sys/kernel/config
}

can_prepare()
{
	can_need ip candump cansend nsenter
	can_modules cansim can-raw || can_skip_all "no cansim driver"
	trap restore EXIT
	trap 'exit 143' HUP INT TERM
	if ! mountpoint -q /sys/kernel/config; then
		mount -t configfs none /sys/kernel/config ||
			can_skip_all "no configfs"
		MOUNTED=yes
	fi
	mkdir $BUS || can_skip_all "the bus is used"
	MADE=yes
	mkdir $BUS/sja1000.simlink{0,1} || can_skip_all "no simulated SJA1000"
	echo 1 > $BUS/live || can_skip_all "no simulated SJA1000"
	if command -v udevadm > /dev/null; then
		udevadm settle
	fi
	export PAIR="simlink0 simlink1"
}

can_main "$@"
