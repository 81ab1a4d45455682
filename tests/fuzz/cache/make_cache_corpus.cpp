// Writes the corpus of the fuzz target `cache`: caches of small models on the CPU device. Rerun and commit
// the files when the format changes.
#include "backends/cpu/engine/cpu_device.h"
#include "core/cache/cache_image.h"
#include "tests/support/random/random_graph.h"
#include "tests/support/random/random_node.h"

#include <cstdio>
#include <fstream>
#include <string>

namespace nnrt::test {
namespace {

constexpr size_t kEvery = 3;  // takes every third operator
constexpr uint32_t kGraphs = 4;
constexpr size_t kMaxBytes = 6000;

void write(const std::string& path, const GraphPtr& graph) {
  const std::shared_ptr<Device> cpu = cpu::make_device();
  const auto model = compile(graph, *cpu, nullptr, {});
  if (!model.ok()) return;
  const auto image = make_image(*model.value(), 1);
  if (!image.ok() || image.value().size() > kMaxBytes) return;
  std::ofstream file(path, std::ios::binary);
  for (const SharedBytes& piece : image.value().pieces) {
    file.write(reinterpret_cast<const char*>(piece->data()), static_cast<std::streamsize>(piece->size()));
  }
}

}  // namespace
}  // namespace nnrt::test

int main(int argc, char** argv) {
  using namespace nnrt;
  if (argc != 2) {
    std::fprintf(stderr, "usage: make_cache_corpus FOLDER\n");
    return 2;
  }
  const std::string folder = std::string(argv[1]) + "/";
  size_t refused = 0;
  for (size_t i = 0; i < kOpCount; i += test::kEvery) {
    const Op op = kOperators[i];
    const auto graph = test::graph_of(test::valid_node(op, 1, refused));
    if (graph.ok()) test::write(folder + std::string(name(op)), graph.value());
  }
  for (uint32_t seed = 1; seed <= test::kGraphs; ++seed)
    test::write(folder + "graph_" + std::to_string(seed), test::draw_graph(seed).graph);
  return 0;
}
