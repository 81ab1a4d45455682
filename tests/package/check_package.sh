#!/bin/sh
# check_package.sh BUILD_TREE: makes the Debian package, unpacks it into a folder of its own and looks at it as its users would: what it
# depends on is there, a client builds against it by CMake and by pkg-config and runs a model, the tool runs.
set -eu
source=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd "$work" && cpack --config "$1/CPackConfig.cmake" -B "$work" >/dev/null)
package=$(find "$work" -maxdepth 1 -name 'nnrt_*.deb')
dpkg-deb -x "$package" "$work/root"
prefix=$work/root/usr

# "libc6 (>= 2.36), libvulkan1, ..."
for dependency in $(dpkg-deb -f "$package" Depends | sed 's/([^)]*)//g; s/,/ /g'); do
  dpkg-query -W -f '${Package}\n' "$dependency" >/dev/null || { echo "$dependency is not installed"; exit 1; }
done

cmake -S "$source" -B "$work/build" -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build "$work/build" >/dev/null
"$work/build/client"
"$work/build/nnapi_client"
# The library finds the program that hosts devices; without it there would be no device.
NNRT_HOSTED=cpu "$work/build/client"

PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name nnrt.pc)")
export PKG_CONFIG_PATH
library_path=$(pkg-config --variable=libdir nnrt)
# The version is said in CMakeLists.txt alone.
said=$(sed -n 's/^project(NNRt VERSION \([0-9.]*\).*/\1/p' "$source/../../CMakeLists.txt")
for read in "$(dpkg-deb -f "$package" Version)" "$(pkg-config --modversion nnrt)"; do
  [ "$read" = "$said" ] || { echo "The version $said is $read in the package."; exit 1; }
done
for file in LICENSE NOTICE; do
  [ -s "$prefix/share/doc/nnrt/$file" ] || { echo "The package has no $file."; exit 1; }
done
# Headers by their bare names, as some clients include them.
sed 's|<neural_network_runtime/\(.*\)>|"\1"|' "$source/package_client.c" > "$work/bare.c"
# shellcheck disable=SC2046
cc -std=c11 "$work/bare.c" $(pkg-config --cflags --libs nnrt) -Wl,-rpath,"$library_path" -o "$work/bare"
"$work/bare"
# shellcheck disable=SC2046
cc -std=c11 "$source/nnapi_client.c" $(pkg-config --cflags --libs neuralnetworks) -Wl,-rpath,"$library_path" -o "$work/nnapi"
"$work/nnapi"

"$prefix/bin/nnrt" devices
gzip -dc "$prefix/share/man/man1/nnrt-device-host.1.gz" | grep -q '^.SH SYNOPSIS' || { echo "nnrt-device-host has no manual page."; exit 1; }
manual=$(gzip -dc "$prefix/share/man/man1/nnrt.1.gz")
completion=$prefix/share/bash-completion/completions/nnrt
for command in devices run bench plan profile compile convert; do
  echo "$manual" | grep -q "^.SS nnrt $command$" || { echo "The manual page does not tell of $command."; exit 1; }
  echo "$manual" | grep -q "\\\\-\\\\-help" || { echo "The manual page has no options."; exit 1; }
done
completed=$(bash -c '. "$1"; COMP_WORDS=(nnrt pr); COMP_CWORD=1; _nnrt; echo "${COMPREPLY[*]}"' - "$completion")
[ "$completed" = profile ] || { echo "nnrt pr<TAB> gives ($completed)."; exit 1; }
completed=$(bash -c '. "$1"; COMP_WORDS=(nnrt run --device g); COMP_CWORD=3; _nnrt; echo "${COMPREPLY[*]}"' - "$completion")
[ "$completed" = gpu ] || { echo "nnrt run --device g<TAB> gives ($completed)."; exit 1; }
