// Runs the target that the program is called by: fuzz_images, a link to the program, runs `images`.
#include "tests/fuzz/fuzz_target.h"

#include <cstdio>
#include <cstdlib>

namespace nnrt::fuzz {
namespace {

const Target* first = nullptr;
const Target* chosen = nullptr;

}  // namespace

Target::Target(std::string_view its_name, Run* its_run) : name(its_name), run(its_run), next(first) {
  first = this;
}

}  // namespace nnrt::fuzz

extern "C" int LLVMFuzzerInitialize(int*, char*** argv) {
  using namespace nnrt::fuzz;
  constexpr std::string_view kPrefix = "fuzz_";
  std::string_view name = **argv;
  if (const size_t at = name.rfind(kPrefix); at != name.npos) name.remove_prefix(at + kPrefix.size());
  for (chosen = first; chosen != nullptr && chosen->name != name;) chosen = chosen->next;
  if (chosen == nullptr) {
    std::fprintf(stderr, "%s is called by the name of no target.\n", **argv);
    std::exit(1);
  }
  // Silently, on one thread, on built-in devices, unless the environment says otherwise.
  setenv("NNRT_LOG", "off", 0);
  setenv("NNRT_THREADS", "1", 0);
  setenv("NNRT_DEVICES", "cpu,vulkan", 0);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return nnrt::fuzz::chosen->run(data, size);
}
