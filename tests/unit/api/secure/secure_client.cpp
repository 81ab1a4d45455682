// Uses each function that depends on an environment variable, and reports what it saw: whether it has
// elevated privileges, its devices, and the result of its run.
#include "tests/unit/api/plugin/plugin_device_names.h"

#include <sys/auxv.h>

#include <cstdio>

using namespace api_tests;

// Called by builds with the address sanitizer: leak detection uses ptrace, which the kernel denies to a
// privileged program, and such a program ignores ASAN_OPTIONS.
extern "C" __attribute__((visibility("default"))) const char* __asan_default_options();
extern "C" const char* __asan_default_options() { return "detect_leaks=0"; }

int main() {
  std::printf("secure %d\n", getauxval(AT_SECURE) != 0 ? 1 : 0);
  for (const std::string& name : device_names()) std::printf("device %s\n", name.c_str());
  std::fflush(stdout);
  const Executor executor = executor_of({2});
  if (executor == nullptr) return 1;
  const Tensor a = tensor_of({2}, {1, 2}), y = tensor_of({2});
  std::printf("run %d\n", int(run(executor.get(), {a.get(), a.get()}, {y.get()})));
  return 0;
}
