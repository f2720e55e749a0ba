#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# canroute.service, its udev rule, and the examples for systemd-networkd and ifupdown. Runs as
# root in an image that is made for tests (scripts/lib/image.sh), with the installed programs,
# with a Kvaser PCI card and a CTU CAN FD card whose drivers are not loaded. The first boot
# enables the service, the second one tests that it was started. Prints KTAP.
#
# check calls the functions below.
# shellcheck disable=SC2317
set -uo pipefail

FILE=/etc/can/gateway.rules
EXAMPLES=/usr/share/can-tools/examples
number=0 failed=0

# check NAME COMMAND...
check() {
	local name=$1 output

	shift
	number=$((number + 1))
	if output=$("$@" 2>&1); then
		echo "ok $number $name"
		return
	fi
	failed=$((failed + 1))
	printf 'not ok %d %s\n%s\n' "$number" "$name" "$output" | sed '2,$s/^/# /'
	systemctl status --no-pager canroute.service | sed 's/^/# /'
}

finish() {
	echo "1..$number"
	exit $((failed > 0))
}

file() {
	mkdir -p "${FILE%/*}"
	printf '%s\n' "$@" >"$FILE"
}

# in_force LINE...: the kernel has exactly these rules, in this order
in_force() {
	diff <([ $# = 0 ] || printf '%s\n' "$@") <(canroute save)
}

# until_true COMMAND...: wait for up to 60 seconds
until_true() {
	local end=$((SECONDS + 60))

	until "$@" >/dev/null 2>&1; do
		[ "$SECONDS" -lt "$end" ] || { "$@"; return; }
		sleep 0.2
	done
}

link_vcan() {
	ip link add "$1" type vcan && ip link set "$1" up
}

status_is() {
	local text

	text=$(systemctl show -P StatusText canroute.service)
	[ "$text" = "$1" ] || { echo "status: $text"; return 1; }
}

journal_says() {
	journalctl --sync && journalctl -b -u canroute.service -o cat | grep -F -e "$1"
}

missing_file() {
	! systemctl start canroute.service && journal_says "$FILE: No such file or directory" &&
		[ "$(systemctl is-active canroute.service)" = failed ]
}

starts() {
	file "from vcan0 to vcan1" "from late0 to vcan0" && systemctl start canroute.service &&
		in_force "from vcan1 to vcan0 name other" "from vcan0 to vcan1" &&
		status_is "1 rule; 1 waits for late0" &&
		journal_says "canroute: $FILE:2: waits for interface late0"
}

loads_late() {
	link_vcan late0 && until_true status_is "2 rules" &&
		in_force "from vcan1 to vcan0 name other" "from vcan0 to vcan1" "from late0 to vcan0"
}

follows_rename() {
	ip link set late0 down && ip link set late0 name later0 &&
		until_true status_is "1 rule; 1 waits for late0" &&
		in_force "from vcan1 to vcan0 name other" "from vcan0 to vcan1" &&
		ip link set later0 name late0 && until_true status_is "2 rules"
}

keeps_at_error() {
	file "from vcan0 too vcan1" && ! systemctl reload canroute.service &&
		systemctl is-active canroute.service &&
		in_force "from vcan1 to vcan0 name other" "from vcan0 to vcan1" "from late0 to vcan0" &&
		journal_says "canroute: $FILE:1:12: " &&
		status_is "$FILE was rejected; still loaded: 2 rules"
}

reloads() {
	file "from vcan0 to vcan1 id 123" && systemctl reload canroute.service &&
		in_force "from vcan1 to vcan0 name other" "from vcan0 to vcan1 id 123" &&
		status_is "1 rule" && journal_says "1 rule of others was staged again"
}

stops() {
	systemctl stop canroute.service && in_force "from vcan1 to vcan0 name other"
}

ignores_interfaces() {
	file "from late1 to vcan0" && link_vcan late1 && udevadm settle && sleep 1 &&
		in_force "from vcan1 to vcan0 name other"
}

# shows LINK TEXT...: "ip -d link" prints all texts
shows() {
	local link=$1 text output

	shift
	output=$(ip -d link show "$link") || return
	for text; do
		[[ $output == *"$text"* ]] || { printf 'not found: %s\n%s\n' "$text" "$output"; return 1; }
	done
}

# sets LINK TEXT...: likewise, after a while
sets() {
	until_true shows "$@"
}

networkd_cc() {
	cp "$EXAMPLES"/networkd/* /etc/systemd/network/ && udevadm control --reload &&
		systemctl start systemd-networkd.service && modprobe kvaser_pci &&
		sets can0 "state UP" "bitrate 500000 sample-point 0.875" "restart-ms 100" "qlen 256"
}

networkd_fd() {
	modprobe ctucanfd_pci && sets can1 "state UP" "mtu 72" "bitrate 500000 sample-point 0.800" \
		"dbitrate 2000000" "restart-ms 100" "qlen 256"
}

# A virtual interface stands for the USB adapter.
networkd_usb() {
	mkdir -p /run/udev/rules.d &&
		echo 'SUBSYSTEM=="net", KERNEL=="usbcan0", ENV{ID_USB_SERIAL_SHORT}="0123456789ABCDEF"' \
			>/run/udev/rules.d/10-usbcan.rules && udevadm control --reload &&
		ip link add usbcan0 type vcan && sets candiag "qlen 256"
}

without_networkd() {
	systemctl stop systemd-networkd.service systemd-networkd.socket
	rm -r /etc/systemd/network/* && udevadm control --reload && rmmod kvaser_pci ctucanfd_pci
}

ifupdown_cc() {
	without_networkd && cp "$EXAMPLES"/ifupdown/* /etc/network/interfaces.d/ &&
		modprobe kvaser_pci && sets can0 "state UP" "bitrate 500000 sample-point 0.875" \
			"restart-ms 100" "qlen 256"
}

ifupdown_fd() {
	modprobe ctucanfd_pci && sets can1 "state UP" "mtu 72" "bitrate 500000 sample-point 0.800" \
		"dbitrate 2000000" "restart-ms 100" "qlen 256" &&
		ifdown can1 && sets can1 "state DOWN"
}

started_at_boot() {
	systemctl is-active canroute.service && status_is "0 rules; 2 wait for late0, vcan0" &&
		! journalctl -b -o cat | grep -i "ordering cycle"
}

has_stock_modules() {
	systemctl stop canroute.service && modprobe -r can-gw && ! grep "^can " /proc/modules &&
		rm -r "/lib/modules/$(uname -r)/updates" && depmod && modprobe can-gw && ! canroute table
}

starts_with_stock() {
	local list

	link_vcan vcan0 && link_vcan vcan1 && cangw -A -s vcan1 -d vcan0 &&
		file "from vcan0 to vcan1 id 123" "from vcan0 to vcan1 frames xl" "from late0 to vcan1" \
			"from vcan0 to vcan1 name x id 124 set len=8 crc8 0..6 at 7 poly 1D init FF" &&
		systemctl start canroute.service && list=$(cangw -L || true) && echo "$list" &&
		[ "$(wc -l <<<"$list")" = 3 ] && journal_says "$FILE:2: the loaded module can-gw lacks CAN XL" &&
		journal_says "rules are changed one after another" &&
		status_is "2 rules; 1 waits for late0; the loaded module can-gw does not support 1"
}

# The second reload changes nothing.
reloads_with_stock() {
	link_vcan late0 && until_true status_is "3 rules; the loaded module can-gw does not support 1" &&
		[ "$(cangw -L | wc -l)" = 4 ] && systemctl reload canroute.service &&
		[ "$(cangw -L | wc -l)" = 4 ]
}

stops_with_stock() {
	local list

	systemctl stop canroute.service && list=$(cangw -L || true) && echo "$list" &&
		[ "$(wc -l <<<"$list")" = 1 ] && [[ $list == *"-s vcan1 -d vcan0"* ]]
}

echo "KTAP version 1"
if systemctl is-enabled canroute.service >/dev/null; then
	check "an enabled service is started at boot" started_at_boot
	check "the stock modules are loaded" has_stock_modules
	check "stock modules: start loads what they support" starts_with_stock
	check "stock modules: a late interface, and a reload without changes" reloads_with_stock
	check "stock modules: stop keeps rules of others" stops_with_stock
	finish
fi
check "start reports a missing file" missing_file
link_vcan vcan0
link_vcan vcan1
canroute add from vcan1 to vcan0 name other >/dev/null
check "start loads the rules beside those of others" starts
check "a late interface gets its rules" loads_late
check "a renamed interface gets and loses rules" follows_rename
check "reload of a wrong file keeps the rules" keeps_at_error
check "reload replaces the rules" reloads
check "stop keeps rules of others" stops
check "a late interface changes nothing if the service is inactive" ignores_interfaces
check "systemd-networkd: Classical CAN" networkd_cc
check "systemd-networkd: CAN FD" networkd_fd
check "systemd-networkd: a USB adapter gets its name" networkd_usb
check "ifupdown: Classical CAN" ifupdown_cc
check "ifupdown: CAN FD" ifupdown_fd
file "from late0 to vcan0" "from vcan0 to late0"
check "the service is enabled" systemctl enable canroute.service
finish
