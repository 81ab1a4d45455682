# A chip vendor: compiles the example driver from the documentation package with only the headers, and tests it with one command.
example=/usr/share/doc/nnrt-doc/examples/plugin
echo "1. compile a driver"
# shellcheck disable=SC2046
c++ -std=c++20 -O1 -fPIC -shared "$example"/*.cpp $(pkg-config --cflags nnrt) -o libnpu.so
echo "2. check it with the cases of one operator, and with all"
nnrt-conformance --plugin libnpu.so --filter add > add.txt
tail -1 add.txt
nnrt-conformance --plugin libnpu.so > all.txt
tail -1 all.txt
echo "3. a driver that cannot be loaded is named"
echo "not a library" > broken.so
if nnrt-conformance --plugin broken.so > broken.txt 2>&1; then exit 1; fi
grep -q 'broken.so' broken.txt
