# A packager, who includes the packages in a distribution.
echo "1. lintian"
lintian --fail-on error /packages/*.deb
echo "2. every library that the programs and libraries need is there"
ours=$(dpkg-query -W -f '${Package}\n' 'libnnrt*' 'libneuralnetworks*' 'nnrt*' 'python3-nnrt*')
for package in $ours; do
  dpkg --verify "$package"
  dpkg -L "$package" | while read -r file; do
    case $file in *.so | */bin/* | */libexec/nnrt/*) ;; *) continue ;; esac
    [ -f "$file" ] || continue
    missing=$(ldd "$file" 2>/dev/null | grep 'not found' || true)
    [ -z "$missing" ] || { echo "$file: $missing"; exit 1; }
  done
done
echo "3. removed, they leave nothing behind"
# shellcheck disable=SC2086
apt-get purge -y -qq $ours >/dev/null
[ ! -e /usr/share/nnrt ] && [ ! -e /usr/libexec/nnrt ]
