#!/bin/sh
# check_package.sh BUILD_TREE: builds the Debian packages, unpacks them into an empty folder and checks them as users would: dependencies
# exist, a client and the packaged examples build against them and run, with CMake and with pkg-config, and the tools run.
set -eu
source=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd "$work" && cpack --config "$1/CPackConfig.cmake" -B "$work" >/dev/null)
packages=$(find "$work" -maxdepth 1 -name '*.deb')
# The version is defined only in CMakeLists.txt.
said=$(sed -n 's/^project(NNRt VERSION \([0-9.]*\).*/\1/p' "$source/../../CMakeLists.txt")
names=" $(for package in $packages; do dpkg-deb -f "$package" Package; done | tr '\n' ' ')"
for name in libnnrt0 libneuralnetworks libnnrt-import0 libnnrt-dev libneuralnetworks-dev libnnrt-driver nnrt nnrt-conformance nnrt-doc; do
  case $names in *" $name "*) ;; *) echo "There is no package $name:$names"; exit 1 ;; esac
done
for package in $packages; do
  dpkg-deb -x "$package" "$work/root"
  name=$(dpkg-deb -f "$package" Package)
  [ "$(dpkg-deb -f "$package" Version)" = "$said" ] || { echo "$name is not of version $said."; exit 1; }
  for file in copyright changelog.gz NOTICE; do
    [ -s "$work/root/usr/share/doc/$name/$file" ] || { echo "$name has no $file."; exit 1; }
  done
  # "libc6 (>= 2.36), libvulkan1, ..."
  for dependency in $(dpkg-deb -f "$package" Depends | sed 's/([^)]*)//g; s/,/ /g'); do
    case $names in *" $dependency "*) continue ;; esac
    dpkg-query -W -f '${Package}\n' "$dependency" >/dev/null || { echo "$dependency is not installed"; exit 1; }
  done
done
prefix=$work/root/usr
# Installed libraries are in the loader's default folders; here they must be named.
LD_LIBRARY_PATH=$(dirname "$(find "$prefix" -name libneural_network_core.so)")
PATH=$prefix/bin:$PATH
export LD_LIBRARY_PATH PATH

cmake -S "$source" -B "$work/build" -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build "$work/build" >/dev/null
"$work/build/client"
"$work/build/nnapi_client"
# The library must find nnrt-device-host; otherwise there is no device.
NNRT_HOSTED=cpu "$work/build/client"

# Every packaged example, alone. The expectations are those of the build tree's tests.
checks=$source/../examples
models=$source/../import/models/onnx
for lists in "$prefix"/share/doc/nnrt-doc/examples/*/CMakeLists.txt; do
  folder=$(dirname "$lists")
  built=$work/examples/$(basename "$folder")
  cmake -S "$folder" -B "$built" -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
  cmake --build "$built" -j2 >/dev/null
  case $(basename "$folder") in
    delegate) "$built/delegate" | tail -n 1 | grep -q '^The result is equal to' ;;
    digits) sh "$checks/check_digits.sh" "$built/digits" cpu "$checks/digits_predictions.txt" >/dev/null ;;
    import) sh "$checks/check_import.sh" "$built/import" "$models/digits.onnx" cpu ;;
    nnapi) sh "$checks/check_digits.sh" "$built/digits_nnapi" cpu "$checks/digits_predictions.txt" >/dev/null ;;
    plugin) NNRT_PLUGINS=$built/libexample_npu.so nnrt devices | grep ExampleNPU ;;
    text) sh "$checks/check_text.sh" "$built/text" nnrt cpu "$source/../data/text" ;;
    *) echo "No check of the example $folder."; exit 1 ;;
  esac
done

PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name nnrt.pc)")
export PKG_CONFIG_PATH
library_path=$(pkg-config --variable=libdir nnrt)
[ "$(pkg-config --modversion nnrt)" = "$said" ] || { echo "pkg-config has another version than $said."; exit 1; }
# Headers included by their bare names, as some clients do.
sed 's|<neural_network_runtime/\(.*\)>|"\1"|' "$source/package_client.c" > "$work/bare.c"
# And as sources in OpenHarmony's tree do.
sed 's|<neural_network_runtime/\(.*\)>|"interfaces/kits/c/neural_network_runtime/\1"|' "$source/package_client.c" > "$work/upstream.c"
for client in bare upstream; do
  # shellcheck disable=SC2046
  cc -std=c11 "$work/$client.c" $(pkg-config --cflags --libs nnrt) -Wl,-rpath,"$library_path" -o "$work/$client"
  "$work/$client"
done
# shellcheck disable=SC2046
cc -std=c11 "$source/nnapi_client.c" $(pkg-config --cflags --libs neuralnetworks) -Wl,-rpath,"$library_path" -o "$work/nnapi"
"$work/nnapi"
# shellcheck disable=SC2046
cc -std=c11 "$source/../../examples/import/import.c" $(pkg-config --cflags --libs nnrt-import) -Wl,-rpath,"$library_path" -o "$work/import"
"$work/import" "$models/digits.onnx"

"$prefix/bin/nnrt" devices
nnrt-conformance --device cpu --filter add
NNRT_DRIVER_DEVICES=cpu nnrt-conformance --plugin "$(find "$prefix" -name libnnrt_vdi_impl.z.so)" --filter add --exclude-tag reject
nnrt-conformance --nnapi --device nnapi-reference --filter add
gzip -dc "$prefix/share/man/man1/nnrt-device-host.1.gz" | grep -q '^.SH SYNOPSIS' || { echo "nnrt-device-host has no manual page."; exit 1; }
manual=$(gzip -dc "$prefix/share/man/man1/nnrt.1.gz")
completion=$prefix/share/bash-completion/completions/nnrt
for command in devices run bench plan profile compile convert quantize accuracy; do
  echo "$manual" | grep -q "^.SS nnrt $command$" || { echo "The manual page does not tell of $command."; exit 1; }
  echo "$manual" | grep -q "\\\\-\\\\-help" || { echo "The manual page has no options."; exit 1; }
done
completed=$(bash -c '. "$1"; COMP_WORDS=(nnrt pr); COMP_CWORD=1; _nnrt; echo "${COMPREPLY[*]}"' - "$completion")
[ "$completed" = profile ] || { echo "nnrt pr<TAB> gives ($completed)."; exit 1; }
completed=$(bash -c '. "$1"; COMP_WORDS=(nnrt run --device g); COMP_CWORD=3; _nnrt; echo "${COMPREPLY[*]}"' - "$completion")
[ "$completed" = gpu ] || { echo "nnrt run --device g<TAB> gives ($completed)."; exit 1; }
zsh_completion=$prefix/share/zsh/vendor-completions/_nnrt
if command -v zsh >/dev/null; then zsh -n "$zsh_completion"; fi
! grep -q -e '--json\[[^]]*\]:' "$zsh_completion" || { echo "zsh gives --json a value."; exit 1; }
