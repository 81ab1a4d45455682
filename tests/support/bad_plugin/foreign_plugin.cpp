// A plugin built with incompatible headers.
extern "C" __attribute__((visibility("default"))) unsigned NNRtPlugin_GetAbi() { return 0x00070001; }
extern "C" __attribute__((visibility("default"))) void* NNRtPlugin_CreateDevice(unsigned, unsigned) {
  __builtin_trap();  // must not be called
}
extern "C" __attribute__((visibility("default"))) void NNRtPlugin_DestroyDevice(void*) { __builtin_trap(); }
