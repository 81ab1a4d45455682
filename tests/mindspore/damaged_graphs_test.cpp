// Graphs of damaged files. MindSpore verifies a file as today's schema or else as the old one, where a number
// has other fields; what it then hands over has offsets that nobody has checked.
#include "tests/mindspore/fenced_bytes.h"
#include "tests/mindspore/lite_graph_maker.h"
#include "tests/mindspore/small_model.h"
#include "tests/unit/api/api_test_handles.h"

#include <neural_network_runtime/neural_network_runtime_inner.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace nnrt::test {
namespace {

using namespace api_tests;

OH_NN_ReturnCode build(std::span<const std::byte> file) {
  const Model model(OH_NNModel_Construct());
  LiteGraph* const graph = load_graph(file);
  const OH_NN_ReturnCode code = OH_NNModel_BuildFromLiteGraph(model.get(), graph, nullptr, 0);
  if (code != OH_NN_SUCCESS) free_graph(graph);
  return code;
}

// The corpus puts a byte before each file.
Bytes corpus_file(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const auto bytes = std::as_bytes(std::span(text)).subspan(1);
  return {bytes.begin(), bytes.end()};
}

TEST(DamagedGraph, IsRefused) {
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(LITE_GRAPH_CORPUS)) {
    if (!entry.path().filename().string().starts_with("Damaged_")) continue;
    const Bytes file = corpus_file(entry.path());
    ASSERT_TRUE(is_loadable(file)) << entry.path();
    EXPECT_EQ(build(file), OH_NN_INVALID_PARAMETER) << entry.path();
    EXPECT_EQ(build(FencedBytes(file).get()), OH_NN_INVALID_PARAMETER) << entry.path();
    ++files;
  }
  EXPECT_EQ(files, 3u);
}

// Each word of a file becomes a wild offset.
TEST(DamagedGraph, IsNotFollowedOutOfItsFile) {
  size_t loaded = 0;
  for (const Bytes& whole : {small_model(), half_model()}) {
    const FencedBytes file(whole);  // one for all changes: qemu-user keeps what it notes about each page
    for (size_t at = 8; at + sizeof(uint32_t) <= whole.size(); at += sizeof(uint32_t)) {
      for (const uint32_t change : {0x7fff0000u, 0x00400000u, 0x00020000u, 0x80u, 0x1u}) {
        std::ranges::copy(whole, file.get().begin());
        uint32_t word = 0;
        std::memcpy(&word, file.get().data() + at, sizeof word);
        word ^= change;
        std::memcpy(file.get().data() + at, &word, sizeof word);
        if (!is_loadable(file.get())) continue;
        build(file.get());
        ++loaded;
      }
    }
  }
  EXPECT_GT(loaded, 100u);
}

}  // namespace
}  // namespace nnrt::test
