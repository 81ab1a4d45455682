#!/bin/sh
# clean_root.sh BUILD_TREE: builds the packages, installs them in a new Debian and runs the journeys in this folder there, without
# the build tree. Needs root and Debian's mirror; without them it exits with 77 (skipped).
set -eu
source=$(cd "$(dirname "$0")" && pwd)
build=$1
[ "$(id -u)" = 0 ] || { echo "Skipped: a new root needs to be made by root."; exit 77; }
command -v mmdebstrap >/dev/null || { echo "Skipped: mmdebstrap is not installed."; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/packages" "$work/journeys"
(cd "$work" && cpack --config "$build/CPackConfig.cmake" -B "$work/made" >cpack.log 2>&1) || { cat "$work/cpack.log"; exit 1; }
find "$work/made" -maxdepth 1 -name '*.deb' -exec cp {} "$work/packages" \;
cp "$source"/*.sh "$source"/../package/*.c "$source"/../package/CMakeLists.txt "$work/journeys"
cp "$source"/../import/models/onnx/digits*.onnx "$work/journeys"
chmod -R a+rX "$work"

status=$work/status
mmdebstrap --quiet --variant=apt \
  --include=gcc,g++,libc6-dev,cmake,make,pkg-config,man-db,mesa-vulkan-drivers,lintian \
  --customize-hook="copy-in '$work/packages' '$work/journeys' /" \
  --customize-hook='chroot "$1" sh -c "DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends /packages/*.deb >/dev/null"' \
  --customize-hook='chroot "$1" sh /journeys/all_journeys.sh' \
  --customize-hook="echo 0 > '$status'" bookworm /dev/null || { echo "A journey failed, or the new Debian could not be made."; exit 1; }
[ "$(cat "$status")" = 0 ]
