// Memory that reading .ms files takes.
#include "tests/import/mindspore/flat_composer.h"
#include "tests/import/mindspore/product_file.h"
#include "tests/support/process_resources.h"
#include "tests/support/sanitized.h"
#include "tools/import/load_network.h"
#include "tools/import/mindspore/ms_reader.h"
#include "tools/import/model_builder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace nnrt::test {
namespace {

using api_tests::forget_peak;
using api_tests::held;
using api_tests::peak_resident;

constexpr size_t kMebibyte = size_t{1} << 20;

void put(std::span<std::byte> bytes, size_t at, uint32_t word) {
  std::memcpy(bytes.data() + at, &word, sizeof word);
}

// A node, its tensors and their quantization. Primitive 1 is Abs, which is 59 of the old schema.
Bytes small_file(const std::string& identifier) {
  FlatRow x = ms_tensor("x", {2, 3}, 32);
  x.fields[7] = FlatRows{ms_quant(1, 0)};
  return flat_file(
      ms_root({ms_node(identifier.empty() ? 59 : 1, {}, {0}, {1})}, {x, ms_tensor("y", {})}, {0}, {1}),
      identifier);
}

constexpr size_t kFile = 4 * kMebibyte;
constexpr uint32_t kHuge = 0x80000000u;

// Reads 4 MiB of 2^31 behind the identifier alone, then behind a valid file of which every number in turn is
// the word. Returns the memory taken at most.
template <typename WordAt>
size_t memory_of_damaged(const std::string& identifier, const WordAt& word_at) {
  const Bytes start = small_file(identifier);
  const LendingBuffer file(kFile);
  for (size_t at = 0; at < kFile; at += 4) put(file.bytes(), at, kHuge);
  const size_t before = held().resident;
  forget_peak();
  if (!identifier.empty()) std::memcpy(file.bytes().data() + 4, identifier.data(), identifier.size());
  EXPECT_FALSE(import::read_mindspore(file, {}, {}).ok());
  std::memcpy(file.bytes().data(), start.data(), start.size());
  for (size_t at = 0; at + 4 <= start.size(); at += 4) {
    put(file.bytes(), at, word_at(at));
    static_cast<void>(import::is_mindspore(file.bytes()));
    static_cast<void>(import::read_mindspore(file, {}, {}));
    std::memcpy(file.bytes().data() + at, start.data() + at, 4);
  }
  return peak_resident() - std::min(before, peak_resident());
}

TEST(MsMemory, IsNotTakenForHugeNumbers) {
  if (kSanitized) GTEST_SKIP() << "Sanitizers add memory to each allocation.";
  for (const char* identifier : {"MSL2", ""})
    EXPECT_LT(memory_of_damaged(identifier, [](size_t) { return kHuge; }), 4 * kMebibyte) << identifier;
}

// Lists may overlap, so their sum may exceed the file, but not many times.
TEST(MsMemory, IsLimitedForListsUpToTheEnd) {
  if (kSanitized) GTEST_SKIP() << "Sanitizers add memory to each allocation.";
  const auto reaching = [](size_t at) { return uint32_t((kFile - at) / 4 - 2); };
  for (const char* identifier : {"MSL2", ""})
    EXPECT_LT(memory_of_damaged(identifier, reaching), 16 * kFile) << identifier;
}

// Peak memory of importing a file with this many rows of weights and making a model of it.
size_t memory_of_import(int64_t rows) {
  const auto path = std::filesystem::path(testing::TempDir()) / "ms_memory.ms";
  {
    const Bytes file = product_file(rows, 0.5f);
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(file.data()), std::streamsize(file.size()));
  }
  const size_t before = held().resident;
  forget_peak();
  const auto network = import::load(path);
  EXPECT_TRUE(network.ok() && import::make_model(network.value()).ok());
  std::filesystem::remove(path);
  return peak_resident() - std::min(before, peak_resident());
}

// Reading copies each weight once, from the file, and the model shares it.
TEST(MsMemory, HasWeightsOnce) { expect_weights_once(25 << 10, memory_of_import); }  // 100 MiB

}  // namespace
}  // namespace nnrt::test
