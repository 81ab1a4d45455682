#pragma once

// nnrt-device-host's main() in the private library, so that the program does not contain all devices a second
// time. Not part of the API: library and program have the same version.
extern "C" __attribute__((visibility("default"))) int OH_NNRt_RunDeviceHost(int argc, char** argv);
