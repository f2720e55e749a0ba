# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Debian packages for the host, Python tools in a virtual environment, and kernel
# packages, which are only unpacked: if installed, the host could boot them.

# shellcheck source=/dev/null
. "$LAB_ROOT/scripts/lib/root.sh"

LAB_PACKAGES=(
	bc bison build-essential busybox-static ca-certificates can-utils ccache
	cpio file flex git iproute2 kmod libelf-dev libmnl-dev libssl-dev pahole
	perl pkg-config procps python3 python3-jsonschema python3-venv python3-yaml
	qemu-system-x86 quilt rsync udev util-linux xz-utils zstd
)

# Needed only by "lab test all".
LAB_CHECK_PACKAGES=(shellcheck sparse python3-jsonschema python3-matplotlib)

DIST=$BUILD/dist
VENV=$BUILD/venv

on_debian() {
	local id='' version=''
	[[ -r /etc/os-release ]] || return 1
	# shellcheck disable=SC2034,SC1091 # VERSION_ID is read through eval
	{
		id=$(. /etc/os-release && echo "${ID:-}")
		version=$(. /etc/os-release && echo "${VERSION_ID:-}")
	}
	[[ $id == debian && ($version == 12 || $version == 13) && $(dpkg --print-architecture) == amd64 ]]
}

as_root() {
	if ((EUID == 0)); then
		"$@"
	else
		sudo "$@"
	fi
}

apt_quiet() {
	as_root env DEBIAN_FRONTEND=noninteractive apt-get -y -o Dpkg::Use-Pty=0 "$@"
}

missing_packages() {
	local package
	for package; do
		dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null |
			grep -qx installed || printf '%s\n' "$package"
	done
}

# Package lists are fetched at most once a day, and only before a download.
apt_lists() {
	local stamp=$BUILD/apt-lists
	if [[ -n $(find "$stamp" -mtime -1 2>/dev/null) ]]; then
		return
	fi
	step "update the package lists" apt_quiet update
	touch "$stamp"
}

# debian_sources SUITE: lines of sources.list, with the mirrors of Debian that this host has.
# Backports have no updates.
debian_sources() {
	local origin label uri
	# shellcheck disable=SC2016 # apt-get expands it
	apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(REPO_URI)' | sort -u |
		while IFS='|' read -r origin label uri; do
			case $origin/$label in
			Debian/Debian-Security) [[ $1 == *-backports ]] || echo "deb $uri $1-security main" ;;
			Debian/Debian)
				echo "deb $uri $1 main"
				[[ $1 == *-backports ]] || echo "deb $uri $1-updates main"
				;;
			esac
		done
}

# use_lists SUITE: let apt-get of this process and its children use the package lists of a suite,
# from the mirrors of the host. Nothing of the host changes.
use_lists() {
	local dir=$BUILD/apt-$1
	on_debian || return 0
	mkdir -p "$dir/lists/partial" "$dir/cache/archives/partial"
	debian_sources "$1" >"$dir/sources.list"
	cat >"$dir/apt.conf" <<-END
		Dir::Etc::SourceList "$dir/sources.list";
		Dir::Etc::SourceParts "-";
		Dir::State::Lists "$dir/lists";
		Dir::Cache "$dir/cache";
		APT::Sandbox::User "root";
	END
	export APT_CONFIG=$dir/apt.conf
	apt-get -q -o APT::Update::Error-Mode=any update
}

# need_packages PACKAGE…: install them, or name those that are missing
need_packages() {
	local missing
	if ! on_debian; then
		need_tools "$@"
		return
	fi
	mapfile -t missing < <(missing_packages "$@")
	((${#missing[@]})) || return 0
	if ((EUID != 0)) && ! command -v sudo >/dev/null; then
		die "these Debian packages are missing, and there is neither root nor sudo to install them: ${missing[*]}"
	fi
	say "these Debian packages will be installed: ${missing[*]}"
	apt_lists
	step "install Debian packages" apt_quiet install --no-install-recommends "${missing[@]}"
}

# On other systems the user has to install the tools.
need_tools() {
	local tool lacking=()
	if command -v dpkg-query >/dev/null; then
		mapfile -t lacking < <(missing_packages "$@")
		((${#lacking[@]})) || return 0
		say "this is not Debian 12 or 13 on amd64, so nothing is installed automatically"
		die "these packages are missing: sudo apt install ${lacking[*]}"
	fi
	for tool in bc bison busybox cangw candump ccache cpio depmod flex gcc git \
		ip make pahole patch perl pkg-config python3 qemu-system-x86_64 quilt \
		rsync xz zstd apt-get dpkg-deb; do
		command -v "$tool" >/dev/null || lacking+=("$tool")
	done
	((${#lacking[@]})) || return 0
	say "this is not Debian 12 or 13 on amd64, so nothing is installed automatically"
	say "these commands are missing: ${lacking[*]}"
	die "the Debian packages that hold all that is needed: $*"
}

# Install the Python tools of scripts/requirements*.txt.
need_venv() {
	local list=$1 key
	key=$(sha256sum "$LAB_ROOT/scripts/$list" | cut -c1-40)
	stamp_fresh "$VENV/.$list" "$key" && return
	[[ -x $VENV/bin/python ]] || step "make a Python environment" python3 -m venv "$VENV"
	say "these Python packages go into build/venv: $(grep -v '^#' "$LAB_ROOT/scripts/$list" | xargs)"
	step "install Python tools of $list" "$VENV/bin/pip" install --disable-pip-version-check \
		-q -r "$LAB_ROOT/scripts/$list"
	stamp_write "$VENV/.$list" "$key"
}

need_basics() {
	need_packages "${LAB_PACKAGES[@]}"
	need_venv requirements.txt
}

# The newest kernel of the base, by flavour (stock or rt). Debian 12 has "-unsigned" packages first,
# with the same contents.
newest_image() {
	local flavour=$1 suffix=amd64 base=linux-image-$LAB_BASE.
	[[ $flavour == rt ]] && suffix=rt-amd64
	with_base_lists apt-cache pkgnames "$base" |
		grep -E "^${base//./\\.}[0-9]+\+deb[0-9]+(\.[0-9]+)?-$suffix(-unsigned)?\$" |
		sort -V | tail -n 1
}

# dependencies PACKAGE: what it depends on
dependencies() {
	with_base_lists apt-cache depends --no-recommends --no-suggests "$1" |
		sed -n 's/^ *|\{0,1\}Depends: //p'
}

# image_packages IMAGE: the packages that have the kernel and its modules
image_packages() {
	echo "$1"
	dependencies "$1" | grep -E '^linux-(base|binary|modules)-' || :
}

# headers_packages RELEASE: packages that the headers package of a kernel depends on
headers_packages() {
	dependencies "linux-headers-$1" | grep -E '^linux-(headers|kbuild)-'
}

fetch_unpack() {
	local dir=$1 debs
	shift
	debs=$(mktemp -d "$BUILD/debs.XXXXXX")
	(
		cd "$debs" || exit
		with_base_lists apt-get download "$@"
	)
	mkdir -p "$dir"
	for deb in "$debs"/*.deb; do
		dpkg-deb -x "$deb" "$dir"
	done
	rm -rf "$debs"
}

# The headers packages refer to each other by absolute path: adjust it.
relocate_headers() {
	local dir=$1
	sed -i "s|^include /usr/src/|include $dir/usr/src/|" "$dir"/usr/src/linux-headers-*/Makefile
}

# The headers for another base than 6.12 are in its root.
fetch_kernel() {
	local dir=$1 image=$2 release=$3 packages extra
	mapfile -t packages < <(image_packages "$image")
	if [[ ! $BASE_ROOT ]]; then
		mapfile -t extra < <(headers_packages "$release")
		packages+=("linux-headers-$release" "${extra[@]}")
	fi
	fetch_unpack "$dir" "${packages[@]}"
	# since Debian 13 the modules of a kernel package are in /usr/lib
	[[ -e $dir/lib ]] || ln -s usr/lib "$dir/lib"
	# 7.3 is beside its modules, and a script of the package would copy it
	if [[ ! -e $dir/boot/vmlinuz-$release ]]; then
		mkdir -p "$dir/boot"
		ln "$dir/lib/modules/$release/vmlinuz" "$dir/boot/vmlinuz-$release"
	fi
	[[ $BASE_ROOT ]] || relocate_headers "$dir"
}

# forget_other_versions RELEASE: the root has the headers of one version, so the other flavour has to
# be fetched again if it is of another one.
forget_other_versions() {
	local file
	for file in "$DIST"/*/release; do
		[[ $(sed 's/-rt-amd64$/-amd64/' "$file") == "${1/%-rt-amd64/-amd64}" ]] || rm -f "$file"
	done
}

# need_kernel FLAVOUR: set KERNEL_DIR (unpacked packages), KERNEL_RELEASE, KERNEL_HEADERS (where
# in_root() finds them) and KERNEL_CC.
need_kernel() {
	local flavour=$1 image version
	KERNEL_DIR=$DIST/$flavour
	if [[ ! -f $KERNEL_DIR/release ]]; then
		command -v apt-get >/dev/null ||
			die "the $flavour kernel comes as Debian packages, and there is no apt-get here"
		apt_lists
		image=$(newest_image "$flavour") || :
		[[ $image ]] || die "the package lists hold no kernel $LAB_BASE of flavour $flavour"
		KERNEL_RELEASE=${image#linux-image-}
		KERNEL_RELEASE=${KERNEL_RELEASE%-unsigned}
		rm -rf "$KERNEL_DIR"
		step "fetch and unpack $image" fetch_kernel "$KERNEL_DIR" "$image" "$KERNEL_RELEASE"
		printf '%s' "$KERNEL_RELEASE" >"$KERNEL_DIR/release"
		[[ ! $BASE_ROOT ]] || forget_other_versions "$KERNEL_RELEASE"
	fi
	# shellcheck disable=SC2034 # used by the script that sources this file
	KERNEL_RELEASE=$(<"$KERNEL_DIR/release")
	KERNEL_HEADERS=/usr/src/linux-headers-$KERNEL_RELEASE
	if [[ $BASE_ROOT ]]; then
		version=${KERNEL_RELEASE%-amd64}
		need_root "${version%-rt}"
	else
		KERNEL_HEADERS=$KERNEL_DIR$KERNEL_HEADERS
	fi
	need_compiler "$KERNEL_HEADERS"
}

# Modules need the compiler that built the kernel, which its headers name.
need_compiler() {
	local headers=$BASE_ROOT$1
	KERNEL_CC=gcc
	if [[ -f $headers/.kernelvariables ]]; then
		KERNEL_CC=$(sed -n 's/^CC = .*\b\(gcc-[0-9]*\)$/\1/p' "$headers/.kernelvariables")
	fi
	if [[ ${KERNEL_CC:=gcc} != gcc && ! $BASE_ROOT ]] && ! command -v "$KERNEL_CC" >/dev/null; then
		need_packages "$KERNEL_CC"
	fi
}
