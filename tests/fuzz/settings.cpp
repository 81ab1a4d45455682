// How all targets run, unless the environment says otherwise: silently, on one thread, on built-in devices.
#include <cstdlib>

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  setenv("NNRT_LOG", "off", 0);
  setenv("NNRT_THREADS", "1", 0);
  setenv("NNRT_DEVICES", "cpu,vulkan", 0);
  return 0;
}
