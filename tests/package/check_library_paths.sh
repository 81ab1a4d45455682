#!/bin/sh
# check_library_paths.sh READELF BUILD: no library or program of the build tree may search an empty path, which
# would be the current folder.
set -eu
readelf=$1
build=$2
read_files=0
wrong=0
for file in "$build"/lib/*.so "$build"/bin/* "$build"/python/nnrt/*.so; do
  [ -f "$file" ] || continue
  dynamic=$("$readelf" -d "$file" 2> /dev/null) || continue
  read_files=$((read_files + 1))
  for path in $(printf '%s\n' "$dynamic" | sed -n 's/.*(R\(UN\)\{0,1\}PATH).*\[\(.*\)\].*/\2/p'); do
    case ":$path:" in
      *::*)
        echo "$file has an empty entry in its library path ($path)."
        wrong=$((wrong + 1))
        ;;
    esac
  done
done
echo "$read_files files, $wrong with an empty entry"
[ "$read_files" -ge 2 ] && [ "$wrong" -eq 0 ]
