// How a source adds itself to the targets of its program:
//   FUZZ_TARGET(images)(const uint8_t* data, size_t size) { ... return 0; }
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace nnrt::fuzz {

struct Target {
  using Run = int(const uint8_t* data, size_t size);

  Target(std::string_view name, Run* run);

  std::string_view name;
  Run* run;
  const Target* next;
};

}  // namespace nnrt::fuzz

#define FUZZ_TARGET(name)                                                     \
  static nnrt::fuzz::Target::Run fuzz_##name;                                 \
  static const nnrt::fuzz::Target fuzz_target_of_##name(#name, &fuzz_##name); \
  static int fuzz_##name
