# Brings a driver: the example is compiled from the documentation's package against the headers alone, and checked in one command.
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
