#!/usr/bin/env bash
# in_root.sh ROOT [--bind FROM TO]... COMMAND...: runs a command in another Debian, with the current folder at the same path. The
# mounts end with the command. Needs root, or passes through sudo.
set -euo pipefail
root=$1
shift
binds=("$PWD" "$PWD")
while [ "${1:-}" = --bind ]; do
  binds+=("$2" "$3")
  shift 3
done
as_root=()
[ "$(id -u)" = 0 ] || as_root=(sudo --preserve-env)
exec "${as_root[@]}" unshare --mount bash -euc '
  root=$1 here=$2 count=$3
  shift 3
  for ((; count > 0; count -= 2)); do
    mkdir -p "$root$2"
    mount --bind "$1" "$root$2"
    shift 2
  done
  mount --rbind /dev "$root/dev"
  mount -t proc proc "$root/proc"
  exec chroot "$root" env --chdir="$here" "$@"' bash "$root" "$PWD" "${#binds[@]}" "${binds[@]}" "$@"
