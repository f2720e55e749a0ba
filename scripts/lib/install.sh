# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# "lab install" and "lab uninstall": register the source directory of DKMS, which the package
# can-fastpath-dkms has too, without a package. dkms builds and installs the modules.

# dkms signs modules if it finds openssl
INSTALL_PACKAGES=(dkms make openssl)
DKMS_SOURCE=$BUILD/dkms-source
DKMS_REGISTERED=/var/lib/dkms/can-fastpath
DKMS_FORCE=/usr/share/dkms/modules_to_force_install/can-fastpath

# Space in MB, without the size of the source: for a build (measured: 122), and for the modules
# of a kernel, which dkms stores twice, beside those that it replaces
BUILD_SPACE=200
KERNEL_SPACE=15

# A clone of another user does not get files of root.
give_back_build() {
	[[ $(stat -c %u "$LAB_ROOT") == 0 ]] || find "$BUILD" -user root -exec chown -h --reference="$LAB_ROOT" {} +
}

need_root() {
	((EUID == 0)) || die "\"lab $1\" changes the modules of this system, which only root may: sudo ./lab $1"
}

package_installed() {
	[[ ! $(missing_packages can-fastpath-dkms) ]]
}

# installed_kernels: releases of the 6.12 kernels of this system
installed_kernels() {
	local dir
	for dir in /lib/modules/6.12.*; do
		[[ ! -d $dir/kernel ]] || printf '%s\n' "${dir##*/}"
	done
}

# our_versions: versions whose source is in /usr/src or that dkms knows, without that of a package
our_versions() {
	local path version
	for path in /usr/src/can-fastpath-* "$DKMS_REGISTERED"/*/source; do
		case $path in
		/usr/src/can-fastpath-[0-9]*) version=${path#/usr/src/can-fastpath-} ;;
		*) [[ -L $path ]] || continue; version=$(basename "$(dirname "$path")") ;;
		esac
		dpkg-query -S "/usr/src/can-fastpath-$version/dkms.conf" &>/dev/null || printf '%s\n' "$version"
	done | sort -u
}

# dkms_state VERSION RELEASE: installed, built, damaged or nothing
dkms_state() {
	local line
	line=$(dkms status -m can-fastpath -v "$1" -k "$2" 2>/dev/null) || :
	case $line in
	*WARNING*) echo damaged ;;
	*': installed'*) echo installed ;;
	*': built'*) echo built ;;
	esac
}

# kernels_with VERSION…: the kernels for which dkms has modules of these versions
kernels_with() {
	local release version
	for release in $(installed_kernels); do
		for version; do
			[[ ! $(dkms_state "$version" "$release") ]] || printf '%s\n' "$release"
		done
	done | sort -u
}

# undo_interrupted VERSION: an installation that was interrupted before dkms recorded it
undo_interrupted() {
	local script=/usr/src/can-fastpath-$1/before-install release
	[[ -x $script ]] || script=$DKMS_SOURCE/before-install
	[[ -x $script ]] || return 0
	for release in $(installed_kernels); do
		"$script" "$release" || return
	done
}

# remove_version VERSION: from dkms, and its source
remove_version() {
	undo_interrupted "$1" || return
	if [[ -e $DKMS_REGISTERED/$1/source/dkms.conf ]]; then
		dkms remove -m can-fastpath -v "$1" --all || return
	fi
	rm -rf "/usr/src/can-fastpath-$1" "${DKMS_REGISTERED:?}/$1"
	rmdir --ignore-fail-on-non-empty "$DKMS_REGISTERED" 2>/dev/null || :
	if [[ ! $(our_versions) ]] && ! package_installed; then
		rm -f "$DKMS_FORCE"
	fi
}

# check_space DIRECTORY MB …: fail, naming the file system, if one has less space
check_space() {
	local mount have status=0
	local -A wanted=()
	while (($#)); do
		mount=$(df --output=target "$(existing_parent "$1")" | tail -n 1)
		wanted[$mount]=$((${wanted[$mount]:-0} + $2))
		shift 2
	done
	for mount in "${!wanted[@]}"; do
		have=$(df --output=avail -BM "$mount" | tail -n 1 | tr -dc 0-9)
		((have < wanted[$mount])) || continue
		say "$mount has $have MB of free space, and ${wanted[$mount]} MB are required"
		status=1
	done
	return $status
}

existing_parent() {
	local dir=$1
	while [[ ! -d $dir ]]; do
		dir=$(dirname "$dir")
	done
	printf '%s\n' "$dir"
}

# choose_kernels: set INSTALL_KERNELS, and name the kernels that get no modules. Fails if modules
# of others could not be used any more.
choose_kernels() {
	local release foreign refused=
	INSTALL_KERNELS=()
	for release in $(installed_kernels); do
		foreign=
		if [[ -r /lib/modules/$release/build/.config ]]; then
			# shellcheck source=/dev/null
			foreign=$(. "$DKMS_SOURCE/module-list" && can_foreign "$release" | xargs)
		fi
		if [[ $foreign ]]; then
			if grep -q '^CONFIG_MODVERSIONS=y' "/lib/modules/$release/build/.config"; then
				say "kernel $release: these other modules could not be loaded with ours: $foreign"
			else
				say "kernel $release: these other modules would corrupt memory with ours: $foreign"
			fi
			refused=yes
		elif "$DKMS_SOURCE/check-kernel" "$release" "/lib/modules/$release/build"; then
			INSTALL_KERNELS+=("$release")
		fi
	done
	[[ ! $refused ]] || die "remove these modules first; nothing has been changed"
	((${#INSTALL_KERNELS[@]})) || die "there is no 6.12 kernel with headers for which modules can be installed; nothing has been changed"
}

# report_use: what is missing before the modules are used
report_use() {
	local loaded
	# shellcheck source=/dev/null
	. "$DKMS_SOURCE/system-state"
	if [[ ${1:-} ]] && can_signature_needed && ! can_key_known; then
		say "Secure Boot is enabled. The kernel loads the modules only after these two commands:"
		say "    sudo mokutil --import $(can_key)"
		say "    sudo reboot"
		say "The first one asks for a password, which you enter again at the next boot."
		return
	fi
	loaded=$(can_loaded | xargs)
	[[ ! $loaded ]] || say "reboot, because these modules are still loaded as they were before: $loaded"
}

# put_source VERSION: /usr/src has the whole source or none
put_source() {
	local to=/usr/src/can-fastpath-$1
	rm -rf "$to" "$to.new"
	cp -r "$DKMS_SOURCE" "$to.new" || return
	chown -R root:root "$to.new"
	mv "$to.new" "$to" || return
	install -D -m 644 "$PACKAGING/dkms/modules_to_force_install" "$DKMS_FORCE" || return
	[[ -L $DKMS_REGISTERED/$1/source ]] || dkms add -m can-fastpath -v "$1"
}

# build_for VERSION RELEASE. dkms refuses to build in the directory of a build that was interrupted.
build_for() {
	if [[ ! $(dkms_state "$1" "$2") ]]; then
		rm -rf "${DKMS_REGISTERED:?}/$1/$2"
	fi
	dkms build -m can-fastpath -v "$1" -k "$2"
}

# install_version VERSION: build for all INSTALL_KERNELS, then replace other versions and install
install_version() {
	local version=$1 release old count
	if ! diff -rq "$DKMS_SOURCE" "/usr/src/can-fastpath-$version" &>/dev/null; then
		if [[ -e /usr/src/can-fastpath-$version || -e $DKMS_REGISTERED/$version ]]; then
			step "remove the earlier $version" remove_version "$version"
		fi
		step "copy the source to /usr/src/can-fastpath-$version" put_source "$version"
	elif [[ ! -L $DKMS_REGISTERED/$version/source || ! -e $DKMS_FORCE ]]; then
		step "register /usr/src/can-fastpath-$version" put_source "$version"
	fi
	for release in "${INSTALL_KERNELS[@]}"; do
		[[ ! $(dkms_state "$version" "$release") =~ ^(built|installed)$ ]] || continue
		if ! (step "build the modules for $release" build_for "$version" "$release"); then
			cp "$DKMS_REGISTERED/$version/build/make.log" "$LOG/dkms-make.log" 2>/dev/null || :
			step "remove $version" remove_version "$version"
			die "the build failed, and the modules in use before are unchanged: see build/log/dkms-make.log"
		fi
	done
	for old in $(our_versions); do
		[[ $old == "$version" ]] || step "remove the version $old" remove_version "$old"
	done
	for release in "${INSTALL_KERNELS[@]}"; do
		[[ $(dkms_state "$version" "$release") != installed ]] || continue
		step "install the modules for $release" dkms install -m can-fastpath -v "$version" -k "$release"
		count=$(find "$DKMS_REGISTERED/$version/$release" -name '*.ko*' | wc -l)
		say "kernel $release: $count CAN modules are in /lib/modules/$release/updates/dkms"
	done
}

# is_installed VERSION: are the source and all modules in place, and no other version?
is_installed() {
	local release
	[[ $(our_versions) == "$1" && -e $DKMS_FORCE ]] || return
	diff -rq "$DKMS_SOURCE" "/usr/src/can-fastpath-$1" &>/dev/null || return
	for release in "${INSTALL_KERNELS[@]}"; do
		[[ $(dkms_state "$1" "$release") == installed ]] || return
	done
}
