#!/bin/bash
# check_release.sh RELEASE DEBIAN_TAR: takes the steps of the release's Dockerfile in a fresh Debian, without Docker, and runs a model
# there by the entry point, on the CPU and on Mesa's driver, and in Python. Needs root, and the network for Debian's packages.
set -euo pipefail
release=$1 tar=$2
source=$(cd "$(dirname "$0")/../.." && pwd)
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
(cd "$release" && sha256sum --quiet --check SHA256SUMS)
tar -xf "$tar" -C "$root" --exclude='./dev/*'
cp /etc/resolv.conf "$root/etc/resolv.conf"
in_root() { (cd / && unshare --mount bash -euc 'mount --rbind /dev "$0/dev"; mount -t proc proc "$0/proc"; exec chroot "$0" "$@"' "$root" "$@"); }

entry=()
# A backslash at the end of a line continues it.
while read -r instruction arguments; do
  case $instruction in
    '' | '#'* | FROM) ;;
    COPY)
      read -r from to <<<"$arguments"
      mkdir -p "$root$to"
      # shellcheck disable=SC2086
      (cd "$release" && cp $from "$root$to")
      ;;
    RUN) DEBIAN_FRONTEND=noninteractive in_root sh -c "$arguments" >/dev/null ;;
    ENTRYPOINT) mapfile -t entry < <(python3 -c 'import json, sys; print(*json.loads(sys.argv[1]), sep="\n")' "$arguments") ;;
    *)
      echo "The Dockerfile has $instruction, which this test does not know."
      exit 1
      ;;
  esac
done < <(sed -e ':a' -e '/\\$/{N;s/\\\n//;ta' -e '}' "$release/Dockerfile")

cp "$source/tests/import/models/onnx/digits.onnx" "$source"/tests/data/images/rgb.jpg "$root/tmp"
in_root "${entry[@]}" --version
in_root env NNRT_DEVICES=cpu "${entry[@]}" run /tmp/digits.onnx --input /tmp/rgb.jpg
in_root sh -c 'VK_DRIVER_FILES=$(echo /usr/share/vulkan/icd.d/lvp_icd.*.json) exec "$@"' - \
  "${entry[@]}" run /tmp/digits.onnx --input /tmp/rgb.jpg --device gpu --compare cpu
in_root python3 -c 'import nnrt, numpy; print(nnrt.load("/tmp/digits.onnx", "cpu")(numpy.ones((1, 1, 8, 8), "uint8")).sum())'
