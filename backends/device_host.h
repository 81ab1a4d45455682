#pragma once

// nnrt-device-host as a function of the core library, so that the program has no second copy of all devices.
// It is not part of the API: library and program are of the same version.
extern "C" __attribute__((visibility("default"))) int OH_NNRt_RunDeviceHost(int argc, char** argv);
