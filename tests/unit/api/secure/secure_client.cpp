// Uses each function that a variable of the environment bears on, and reports what it saw: whether it runs
// with rights that who started it lacks, its devices, and how its run ended.
#include "tests/unit/api/plugin/plugin_device_names.h"

#include <sys/auxv.h>

#include <cstdio>

using namespace api_tests;

// A build with the address sanitizer asks this: it looks for leaks as a debugger does, which the kernel
// denies to a program with foreign rights, and such a program ignores ASAN_OPTIONS.
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
