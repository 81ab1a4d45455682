#include "tests/support/fault_layer/fault_layer.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>

namespace nnrt::test {
namespace {

TEST(FaultLayer, CoversEveryFallibleCall) {
  const std::regex call(R"(\bvk[A-Z]\w+(?=\())");
  const std::regex cannot_fail_or_is_global(
      "vkCmd.*|vkUpdateDescriptorSets|vkGet(Device|Instance)ProcAddr|vkGetDeviceQueue|"
      "vkGetBufferMemoryRequirements|vkGetPhysicalDevice(Memory|QueueFamily)?(Properties|Features)2?|"
      "vkEnumerateInstance.*");
  size_t calls = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(NNRT_SOURCE_DIR "/backends/vulkan")) {
    if (entry.path().extension() != ".cpp") continue;
    std::ifstream file(entry.path());
    const std::string text(std::istreambuf_iterator<char>(file), {});
    for (std::sregex_iterator found(text.begin(), text.end(), call), end; found != end; ++found) {
      if (std::regex_match(found->str(), cannot_fail_or_is_global)) continue;
      EXPECT_TRUE(fault::knows(found->str())) << found->str() << " in " << entry.path();
      ++calls;
    }
  }
  EXPECT_GT(calls, 10u);
}

}  // namespace
}  // namespace nnrt::test
