#include "backends/device_host.h"

int main(int argc, char** argv) { return OH_NNRt_RunDeviceHost(argc, argv); }
