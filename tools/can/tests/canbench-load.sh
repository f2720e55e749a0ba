#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# canbench-load on simulated buses: it counts sent frames, its schedule matches the bus, it
# reports losses, and it removes everything that it created. No figure is compared with an
# expected one, because a slow host loses frames.

# check() calls the functions below.
# shellcheck disable=SC2317
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# The interfaces of cansim are in the initial network namespace.
IN_NAMESPACE=1
echo "KTAP version 1"
[ "$(id -u)" = 0 ] || skip_all "needs root"

begin 45 "$@"
need_modules cansim cansim-ether cansim-bare can-raw
need_programs "$BIN/canbench-load" python3 pgrep
load=$BIN/canbench-load
buses=/sys/kernel/config/cansim

card_parameters() {
	grep -H . /sys/module/cansim_ether/parameters/*
}
parameters=$(card_parameters)

# Buses and interfaces of this program have its name; others may exist.
nothing_left() {
	[ "$(card_parameters)" = "$parameters" ] &&
		! find "$buses" -maxdepth 1 -name 'canbench-load-*' | grep . &&
		! ip -br link | grep '^cbl[0-9]'
}

# measured NAME EXPRESSION OPTION...: a run at a bit rate that any host can handle
measured() {
	local name=$1 expression=$2

	shift 2
	status=0
	"$load" --json --label "$name" --bitrate 50000 "$@" >"$WORK/$name.out" || status=$?
	[ "$status" -le 1 ] &&
		json "$name" "(r['complete'] and r['label'] == '$name' and
			r['counts']['lost'] == r['counts']['sent'] - r['counts']['delivered'] and
			(r['counts']['lost'] > 0) == ($status == 1) and $expression)" &&
		nothing_left
}

sent() {
	printf '%s' "r['counts']['sent'] == $1 and series['end of frame to reader']['count'] == r['counts']['delivered']"
}

for chip in sja1000 mpc5200 mcp2515; do
	check "$chip: bursts" measured "$chip" "$(sent 60) and r['options']['burst'] == 6" \
		--burst 6 --period 50ms --count 60 "$chip"
done
check "full bus" measured full "$(sent 100) and r['counts']['bus_load_permille'] == 1000 and r['counts']['simulator_ns'] > 0" \
	--count 100 sja1000
check "frames without data" measured short "$(sent 100)" --dlc 0 --count 100 sja1000
check "reader of normal priority" measured normal "$(sent 100) and r['options']['priority'] == 0" \
	--priority 0 --period 5ms --count 100 sja1000
for call in poll epoll; do
	check "reader waits in $call" measured $call "$(sent 100) and r['options']['wait'] == '$call'" \
		--wait $call --count 100 mpc5200
done
check "kernel timestamps" measured stamp "$(sent 20) and len(r['series']) == 3 and all(
		s['count'] == r['counts']['delivered'] for s in r['series'])" \
	--stamp --period 20ms --count 20 mpc5200
check "interrupts" measured interrupts "$(sent 20) and
		0 < r['counts']['interrupts'] <= 2 * r['counts']['sent']" --period 20ms --count 20 mpc5200
check "busy polling" measured polls "$(sent 20) and r['options']['busy_poll_us'] == 2000 and
		r['options']['defer_ns'] == 200000" \
	--busy-poll 2ms --defer 200us --period 20ms --count 20 mpc5200
for flood in backlog napi transmit; do
	check "load: $flood" measured $flood "$(sent 30) and r['load'] == '$flood' and
			r['counts']['load_datagrams'] > 0" \
		--load $flood --period 20ms --count 30 sja1000
done
check "load: Ethernet" measured ethernet "$(sent 30) and r['load'] == 'ethernet' and
		r['counts']['load_bytes'] == 120000 * r['counts']['load_pings'] > 0" \
	--load ethernet --period 20ms --count 30 sja1000
check "load: Ethernet, small pings" measured small "$(sent 30) and r['options']['ping_bytes'] == 100 and
		r['counts']['load_bytes'] == 200 * r['counts']['load_pings'] > 0" \
	--load ethernet --ping-size 100 --period 20ms --count 30 sja1000
check "load: CPU" measured cpu "$(sent 30) and r['counts']['load_rounds'] > 0" \
	--load cpu --period 20ms --count 30 sja1000

has_hackbench() {
	pgrep -x hackbench
}

# Its processes are short-lived, and pgrep is slow beside 40 of them: it seldom finds one. So it
# is not waited for by this, but none of them may be left.
hackbench_runs() {
	measured hackbench "$(sent 30) and r['counts']['load_rounds'] > 0 and r['counts']['load_cpu_ns'] > 0" \
		--load hackbench --period 200ms --count 30 sja1000 && ! has_hackbench
}

# with_hackbench NAME COMMAND...: as check
with_hackbench() {
	if command -v hackbench >/dev/null; then
		check "$@"
	else
		skip "$1" "hackbench (rt-tests) is missing"
	fi
}
with_hackbench "load: hackbench" hackbench_runs
check "gateway" measured gateway "r['counts']['sent'] == 24 and
		series['end of frame to second bus']['count'] == r['counts']['delivered'] and
		r['counts']['gateway_handled'] >= r['counts']['delivered'] and
		r['options']['txqueuelen'] == 100" \
	--gateway mpc5200 --txqueuelen 100 --burst 6 --period 100ms --count 24 sja1000
check "express rule" measured express "r['counts']['sent'] == 20 and r['options']['express'] and
		series['end of frame to second bus']['count'] == r['counts']['delivered'] and
		r['counts']['gateway_handled'] >= r['counts']['delivered'] > 0" \
	--gateway mpc5200 --express --period 20ms --count 20 sja1000
check "2048 express rules" measured rules "r['counts']['sent'] == 20 and r['options']['rules'] == 2048 and
		r['counts']['gateway_handled'] >= r['counts']['delivered'] > 0" \
	--gateway mpc5200 --express --rules 2048 --period 20ms --count 20 sja1000
for in in sja1000 mpc5200; do
	for out in sja1000 mpc5200; do
		check "copied from $in to $out" measured bare "r['counts']['sent'] == 40 and r['options']['bare'] and
				r['counts']['gateway_handled'] >= r['counts']['delivered'] > 0" \
			--gateway $out --bare --period 20ms --count 40 $in
	done
done
check "both directions" measured both "r['counts']['sent'] == 40 and r['options']['both'] and not
		series['end of frame to second bus']['count'] and r['counts']['delivered'] > 20" \
	--gateway mpc5200 --both --express --period 20ms --count 20 sja1000
# Each frame follows the previous one on the second bus, where it takes at least 47 bits. By the period
# alone, they would come within 19 seconds.
check "one frame at a time" measured one "r['counts']['sent'] == 20 and r['options']['one'] and
		r['counts']['delivered'] > 0 and len(r['frames']) == 20 and r['frames'][-1][0] < 10e9 and all(
		b[0] > a[0] + a[1] + 47 * 20000 for a, b in zip(r['frames'], r['frames'][1:]) if a[1] is not None)" \
	--gateway mpc5200 --one --frames --count 20 sja1000
check "two bytes of data" measured two "r['counts']['sent'] == 20 and r['options']['id'] == 0x700 and
		r['counts']['delivered'] > 0" \
	--gateway mpc5200 --dlc 2 --id 700 --period 20ms --count 20 sja1000
check "half of the bus" measured half "$(sent 200) and abs(r['counts']['bus_load_permille'] - 500) < 5" \
	--bus-load 50 --count 200 sja1000

# The rule for other frames matches none. Comments and names are kept.
cat >"$WORK/rules" <<-'END'
	# in and out are the interfaces
	from in to out name in id 400
	from in	to out id 123 set id=321
END
with_rules() {
	PATH=$BIN:$PATH measured table "r['counts']['sent'] == 20 and r['options']['rules'].endswith('rules') and
			r['counts']['delivered'] > 0 and r['counts']['gateway_handled'] >= r['counts']['delivered']" \
		--gateway mpc5200 --rules "$WORK/rules" --period 20ms --count 20 sja1000 &&
		echo "from in to nowhere id 123" >"$WORK/refused" &&
		PATH=$BIN:$PATH expect 3 "has not loaded these rules" "$load" --gateway mpc5200 \
			--rules "$WORK/refused" sja1000 && nothing_left
}
check "rules of a file" with_rules

# ends NAME: the ends of all frames on the first bus
ends() {
	json "$1" "print([frame[0] for frame in r['frames']]) is None"
}

seeded() {
	measured "$1" "$(sent 20) and r['options']['jitter_ns'] == 5000000 and len(r['frames']) == 20" \
		--seed "$2" --jitter 5ms --id random --frames --period 20ms --count 20 sja1000
}

chance() {
	seeded seed1 7 && seeded seed2 7 && seeded seed3 8 && [ "$(ends seed1)" = "$(ends seed2)" ] &&
		[ "$(ends seed1)" != "$(ends seed3)" ]
}
check "a seed determines what is random" chance

# hops NAME OPTIONS: the frames that the last rule has handled
hops() {
	local name=$1
	shift
	measured "$name" "r['counts']['sent'] == 20 and 0 < r['counts']['delivered'] <= r['counts']['gateway_handled'] <= 22" \
		--gateway mpc5200 --id 7F0 --period 20ms --count 20 "$@" sja1000
}

in_hops() {
	modprobe -r can-gw && hops hops --hops 6 && json hops "(r['options']['hops'], r['options']['vcans']) == (6, 5)" &&
		hops vcan --hops 6 --vcans 1 && json vcan "r['options']['vcans'] == 1" &&
		hops two --hops 4 --vcans 2 && hops pairs --hops 8 --vxcan &&
		json pairs "r['options']['vxcan_pairs'] == 7" && nothing_left
}

one_hop() {
	modprobe -r can-gw && modprobe can-gw max_hops=5 &&
		expect 3 "is loaded with max_hops=5, 6 are needed" "$load" --hops 6 --gateway sja1000 sja1000
	local status=$?
	modprobe -r can-gw && nothing_left && return "$status"
}
# Both load the module with another parameter, and unload it.
for promise in "rules one after another:in_hops" "more rules one after another than the module allows:one_hop"; do
	if own_machine; then
		check "${promise%:*}" "${promise#*:}"
	else
		skip "${promise%:*}" "$NOT_OWN"
	fi
done

has_forwarder() {
	pgrep -f 'canugw.* cbl'
}

forwarded() {
	measured forwarder "r['counts']['sent'] == 20 and r['counts']['delivered'] > 0 and
			r['counts']['gateway_handled'] == 0 and 'canugw' in r['options']['forwarder']" \
		--gateway mpc5200 --forwarder "$BIN/canugw -V readnb-write" --period 20ms --count 20 sja1000 &&
		! has_forwarder &&
		expect 3 "the program of --forwarder has ended" "$load" --gateway mpc5200 --forwarder false sja1000 &&
		nothing_left
}
check "a program forwards frames" forwarded

in_short_trains() {
	measured datagrams "$(sent 20) and r['options']['datagrams_per_s'] == 5000 and
			r['counts']['load_datagrams'] > 0" \
		--load napi --datagrams 5000 --period 20ms --count 20 sja1000
}
check "rate of datagrams" in_short_trains
check "attributes of a controller" measured attribute "$(sent 10)" \
	--count 10 --period 20ms sja1000:access_ns=1000

# has_thread PRIORITY NAME: a thread with this priority and name exists. Every kernel handles
# the interrupt of an MCP2515 in a thread, and the MSCAN driver has NAPI.
has_thread() {
	local pid

	for pid in $(pgrep "$2"); do
		[ "$(ps -o rtprio= -p "$pid" | tr -d ' ')" = "$1" ] && return
	done
	return 1
}

threads() {
	start prioritised "$load" --json --threaded 61 --irq-priority 62 --rx-priority 63 --period 50ms \
		--count 1000000 --gateway mpc5200 --dlc 8 mcp2515
	until_true has_thread 61 'napi/cbl' && until_true has_thread 62 'irq/[0-9]+-spi' &&
		ended "$pid" INT && [ "$status" = 0 ] &&
		json prioritised "(r['options']['napi_priority'] == 61 and
			r['options']['irq_priority'] == 62 and r['counts']['irq_threads'] == 1 and
			r['options']['rx_priority'] == 63 and r['counts']['rx_threads'] == 0)" &&
		nothing_left
}
check "priorities of threads" threads

measured_on_cpus() {
	measured cpus "$(sent 20) and r['options']['load_cpu'] == 0 and
			r['options']['reader_cpu'] == 0 and r['options']['rx_cpu'] == 0 and
			r['counts']['rx_threads'] == 0" \
		--load cpu --load-cpu 0 --reader-cpu 0 --rx-cpu 0 --period 20ms --count 20 sja1000 &&
		expect 3 "running on CPU 1000" "$load" --load-cpu 1000 sja1000 && nothing_left
}
check "CPUs" measured_on_cpus

search() {
	measured search "$(sent 50) and r['counts']['found'] == 1" --rate-search --count 50 sja1000
}
check "search for the highest rate" search

has_interface() {
	ip -br link show up | grep '^cbl'
}

has_load() {
	pgrep -P "$pid"
}

# interrupted SIGNAL LOAD [CONDITION]: the program is interrupted when the load runs, and this is true
interrupted() {
	start stopped "$load" --json --load "$2" --period 50ms --count 1000000 sja1000
	until_true has_interface && until_true has_load && until_true "${3:-true}" &&
		ended "$pid" "$1" && [ "$status" = 0 ] && json stopped "not r['complete']" && nothing_left
}
check "SIGINT" interrupted INT ethernet
check "SIGTERM" interrupted TERM ethernet

has_grandchild() {
	local child

	child=$(pgrep -P "$pid") && [ -n "$(<"/proc/$child/task/$child/children")" ]
}

hackbench_interrupted() {
	interrupted INT hackbench has_grandchild && ! has_hackbench
}
with_hackbench "SIGINT: hackbench" hackbench_interrupted

forwarder_interrupted() {
	start stopped "$load" --json --gateway mpc5200 --forwarder "$BIN/canugw -V readnb-write" \
		--period 50ms --count 1000000 sja1000
	until_true has_forwarder && ended "$pid" INT && [ "$status" = 0 ] &&
		json stopped "not r['complete']" && ! has_forwarder && nothing_left
}
check "SIGINT: a program that forwards frames" forwarder_interrupted

wrong() {
	expect 2 "controller is required" "$load" &&
		expect 2 "unexpected argument 'x'" "$load" sja1000 x &&
		expect 2 "--load: 'disk'" "$load" --load disk sja1000 &&
		expect 2 "--period: '3'" "$load" --period 3 sja1000 &&
		expect 2 "--ping-size: 60001 is" "$load" --ping-size 60001 sja1000 &&
		expect 2 "--threaded: 0 is" "$load" --threaded 0 sja1000 &&
		expect 2 "--priority: must be 0, or 2" "$load" --priority 1 sja1000 &&
		expect 2 "--irq-priority: 100 is" "$load" --irq-priority 100 sja1000 &&
		expect 2 "--rx-priority: 100 is" "$load" --rx-priority 100 sja1000 &&
		expect 2 "--wait: 'select'" "$load" --wait select sja1000 &&
		expect 2 "--busy-poll cannot be combined" "$load" --wait poll --busy-poll 1ms sja1000 &&
		expect 2 "--wait cannot be combined" "$load" --wait poll --gateway sja1000 sja1000 &&
		expect 2 "--load-cpu: 1024 is" "$load" --load-cpu 1024 sja1000 &&
		expect 2 "--defer requires --busy-poll" "$load" --defer 200us sja1000 &&
		expect 2 "--txqueuelen requires --gateway" "$load" --txqueuelen 100 sja1000 &&
		expect 2 "--express requires --gateway" "$load" --express sja1000 &&
		expect 2 "--bare requires --gateway" "$load" --bare sja1000 &&
		expect 2 "--both requires --gateway" "$load" --both sja1000 &&
		expect 2 "--rules requires --gateway" "$load" --rules 2 sja1000 &&
		expect 2 "--rules: 2049 is" "$load" --rules 2049 --gateway sja1000 sja1000 &&
		expect 2 "--rules cannot be combined" "$load" --rules 2 --bare --gateway sja1000 sja1000 &&
		expect 2 "--both cannot be combined" "$load" --both --rate-search --gateway sja1000 sja1000 &&
		expect 3 "does not copy frames from" "$load" --bare --gateway mcp2515 sja1000 &&
		expect 2 "--busy-poll cannot be combined" "$load" --busy-poll 1ms --gateway sja1000 sja1000 &&
		expect 2 "requires --dlc 2 or more" "$load" --dlc 1 --gateway sja1000 sja1000 &&
		expect 2 "--one requires --gateway" "$load" --one sja1000 &&
		expect 2 "--forwarder requires --gateway" "$load" --forwarder true sja1000 &&
		expect 2 "--express, --bare and --forwarder cannot" "$load" --bare --express --gateway sja1000 sja1000 &&
		expect 2 "--rules cannot be combined" "$load" --rules 2 --forwarder true --gateway sja1000 sja1000 &&
		expect 2 "FILE of --rules says" "$load" --rules file --express --gateway sja1000 sja1000 &&
		expect 2 "--both cannot be combined with --forwarder" "$load" --both --one --gateway sja1000 sja1000 &&
		expect 2 "--hops requires --gateway" "$load" --hops 2 sja1000 &&
		expect 2 "--hops: more than 6" "$load" --hops 7 --gateway sja1000 sja1000 &&
		expect 2 "--hops: 25 is" "$load" --hops 25 --vxcan --gateway sja1000 sja1000 &&
		expect 2 "--vxcan requires --hops" "$load" --vxcan --gateway sja1000 sja1000 &&
		expect 2 "--vxcan cannot be combined" "$load" --hops 4 --vcans 2 --vxcan --gateway sja1000 sja1000 &&
		expect 2 "--vcans: 2 is not less" "$load" --hops 2 --vcans 2 --gateway sja1000 sja1000 &&
		expect 2 "--vcans requires --hops" "$load" --vcans 1 --gateway sja1000 sja1000 &&
		expect 2 "--hops cannot be combined with --express" "$load" --hops 2 --express --gateway sja1000 sja1000 &&
		expect 2 "--hops cannot be combined with --id" "$load" --hops 2 --seed 1 --id random --gateway sja1000 sja1000 &&
		expect 2 "identifier above 7FF" "$load" --hops 2 --id 7FE --gateway sja1000 sja1000 &&
		expect 2 "--bus-load: 101 is" "$load" --bus-load 101 sja1000 &&
		expect 2 "--bus-load cannot be combined" "$load" --bus-load 50 --period 1ms sja1000 &&
		expect 2 "--id: identifier 800" "$load" --id 800 sja1000 &&
		expect 2 "is not a standard identifier" "$load" --id 00000123 sja1000 &&
		expect 2 "--id random cannot be combined" "$load" --seed 1 --id random --rules 2 --gateway sja1000 sja1000 &&
		expect 2 "--one cannot be combined" "$load" --one --burst 2 --gateway sja1000 sja1000 &&
		expect 2 "--frames cannot be combined" "$load" --json --frames --both --gateway sja1000 sja1000 &&
		expect 2 "--id random requires --seed" "$load" --id random sja1000 &&
		expect 2 "--jitter requires --seed" "$load" --jitter 1ms sja1000 &&
		expect 2 "--seed: 0 is" "$load" --seed 0 sja1000 &&
		expect 2 "--frames requires --json" "$load" --frames sja1000 &&
		expect 2 "--datagrams: 0 is" "$load" --datagrams 0 sja1000 &&
		expect 3 "nofile" "$load" --gateway sja1000 --rules nofile sja1000 &&
		expect 2 "--rate-search cannot be combined" "$load" --rate-search --burst 6 sja1000 &&
		expect 3 "cansim does not know 'nope'" "$load" nope &&
		expect 3 "nope" "$load" sja1000:nope=3 &&
		expect 3 "not in this network namespace" unshare --net "$load" sja1000 &&
		expect 0 "usage: canbench-load" "$load" --help &&
		nothing_left
}
check "wrong usage and missing resources are reported" wrong

schema() {
	local name

	for name in sja1000 full ethernet gateway express bare both search stopped prioritised polls epoll one table seed1; do
		keeps_to_schema "$name" || return
	done
}
if python3 -c 'import jsonschema' 2>/dev/null; then
	check "results match the schema" schema
else
	skip "results match the schema" "python3-jsonschema is missing"
fi

finish
