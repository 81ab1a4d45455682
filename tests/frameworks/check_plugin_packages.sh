#!/usr/bin/env bash
# check_plugin_packages.sh BUILD_TREE ROOT: builds the packages of the plugins, installs them with dpkg in a copy-on-write view of the
# root with the frameworks, and runs models with them there.
set -euo pipefail
tests=$(dirname "$(realpath "$0")") build=$1 root=$2
if [ "${IN_NAMESPACE:-}" != 1 ]; then
  as_root=()
  [ "$(id -u)" = 0 ] || as_root=(sudo --preserve-env)
  exec "${as_root[@]}" env IN_NAMESPACE=1 unshare --mount "$0" "$@"
fi
work=$(mktemp -d)
trap 'umount -R "$work/root" 2>/dev/null; rm -rf "$work"' EXIT
mkdir "$work"/{root,upper,work}
(cd "$work" && cpack --config "$build/CPackConfig.cmake" -B "$work" -D CPACK_COMPONENTS_ALL="runtime;onnxruntime;tflite" >/dev/null)
for name in onnxruntime tflite; do
  package=$(ls "$work"/libnnrt-"$name"_*.deb)
  library=$(dpkg-deb -c "$package" | sed -n "s|.* \./\(usr/lib/.*/libnnrt_$name\.so\)$|/\1|p")
  [ -n "$library" ] || { echo "$package has no libnnrt_$name.so"; exit 1; }
  # The frameworks open plugins by path, and link nothing of theirs.
  dpkg-deb -f "$package" Depends | grep -q 'libnnrt0 (= ' || { echo "$package does not depend on libnnrt0"; exit 1; }
  ! dpkg-deb -f "$package" Depends | grep -qE 'protobuf|onnxruntime|tensorflow' || { echo "$package needs a framework"; exit 1; }
  declare "$name=$library"
done
mount -t overlay overlay -o "lowerdir=$(realpath "$root"),upperdir=$work/upper,workdir=$work/work" "$work/root"
in_root() { "$tests/in_root.sh" "$work/root" --bind "$work" /mnt "$@"; }
in_root sh -c 'dpkg -i /mnt/libnnrt0_*.deb /mnt/libnnrt-onnxruntime_*.deb /mnt/libnnrt-tflite_*.deb' >/dev/null
# shellcheck disable=SC2154
in_root env VK_DRIVER_FILES=none NNRT_COSTS=off "$build/bin/tflite_session_test" libtensorflow-lite.so.2.14.1 "$tflite" cpu
# shellcheck disable=SC2154
in_root env PLUGIN_LIBRARY="$onnxruntime" PLUGIN_KIND=cpu VK_DRIVER_FILES=none NNRT_COSTS=off python3 -B "$tests/onnxruntime/session_test.py"
