// Offline models and caches that were modified and resealed, for the CPU and a GPU: the C API must reject
// them, or load and run them. Unmodified ones must compute what their model did. Bytes choose the model, the
// device and the modification, so no stored file becomes obsolete with a new format.
#include "backends/devices.h"
#include "core/base/text.h"
#include "core/cache/cache_header.h"
#include "core/cache/stored_model.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/graphs/drawn_model.h"
#include "tests/support/caches/resealed_cache.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

namespace nnrt::test {
namespace {

constexpr size_t kMaxElements = 4096, kMaxBytes = 0xffff;
constexpr uint32_t kModels = 32;
constexpr int64_t kMaxEdits = 6;

struct Offline {
  size_t device = 0;
  Bytes file;
  std::vector<Bytes> fed;
  Outcome outcome;
};

Bytes exported(OH_NNCompilation* compilation) {
  Bytes file(kMaxBytes);
  size_t size = 0;
  if (OH_NNCompilation_ExportCacheToBuffer(compilation, file.data(), file.size(), &size) != OH_NN_SUCCESS)
    return {};
  file.resize(size);
  return file;
}

// The first model from this seed on that the device builds and runs.
Offline make_offline(size_t device, uint32_t seed) {
  for (;; ++seed) {
    Random random(seed);
    const ApiModel model = draw_model(random).model;
    const GraphPtr graph = graph_of(model);
    if (graph == nullptr || !is_small(*graph, kMaxElements)) continue;
    const import::ModelHandle made = make(model);
    if (made == nullptr) continue;
    const import::CompilationHandle compilation(OH_NNCompilation_Construct(made.get()));
    Offline offline;
    offline.device = device;
    for (const uint32_t id : model.inputs) offline.fed.push_back(model.contents[id]);
    offline.outcome = build_and_run(compilation.get(), device, offline.fed);
    if (offline.outcome.run != OH_NN_SUCCESS) continue;
    offline.file = exported(compilation.get());
    if (!offline.file.empty()) return offline;
  }
}

const Offline& choose(Random& random) {
  static const std::optional<size_t> cpu = device_of(OH_NN_CPU), gpu = device_of(OH_NN_GPU);
  static std::map<std::pair<size_t, uint32_t>, Offline> made;
  const size_t device = gpu && random.one_in(2) ? *gpu : *cpu;
  const auto number = uint32_t(random.below(kModels));
  const auto found = made.find({device, number});
  if (found != made.end()) return found->second;
  return made.emplace(std::pair(device, number), make_offline(device, number * 1000 + 1)).first->second;
}

// Changes one byte, or a 4- or 8-byte number.
void change(Bytes& file, Random& random) {
  constexpr uint64_t kOdd[] = {0,
                               1,
                               2,
                               0x7f,
                               0x80,
                               0xff,
                               0xffff,
                               0x7fffffff,
                               0x80000000,
                               0xffffffff,
                               0x7fffffffffffffff,
                               0xffffffffffffffff};
  if (file.size() <= kHeaderBytes) return;
  const size_t position = kHeaderBytes + random.below(file.size() - kHeaderBytes);
  const uint64_t value = random.one_in(2) ? random.bits() : kOdd[random.below(std::size(kOdd))];
  const size_t size = std::min(random.of<size_t>({1, 1, 4, 8}), file.size() - position);
  switch (random.below(8)) {
    case 0: file.erase(file.begin() + int64_t(position), file.begin() + int64_t(position + size)); break;
    case 1: file.insert(file.begin() + int64_t(position), size, std::byte(value)); break;
    case 2: file.resize(position); break;
    default: std::memcpy(file.data() + position, &value, size);
  }
}

nnrt::import::CompilationHandle open(const Bytes& file, bool as_cache) {
  if (!as_cache)
    return import::CompilationHandle(
        OH_NNCompilation_ConstructWithOfflineModelBuffer(file.data(), file.size()));
  nnrt::import::CompilationHandle compilation(OH_NNCompilation_ConstructForCache());
  OH_NNCompilation_ImportCacheFromBuffer(compilation.get(), file.data(), file.size());
  return compilation;
}

// True if it is rejected, or a run takes milliseconds. A change may legitimately enlarge dimensions.
bool runs_fast(const Bytes& file, size_t device) {
  const DeviceRegistry& devices = device_registry();
  const auto stored = StoredModel::open(source_of(file));
  if (!stored.ok()) return true;
  const auto restored = stored.value().restore({*devices.find(device), devices.cpu(), {}, nullptr});
  return !restored.ok() || is_small(*restored.value().model->lowered, 16 * kMaxElements);
}

void expect_same(const Outcome& got, const Outcome& want) {
  if (got.build == want.build && got.run == want.run && got.shapes == want.shapes &&
      got.outputs == want.outputs)
    return;
  std::fprintf(stderr, "A model that was not changed answers %d and %d, not %d and %d, or something else.\n",
               got.build, got.run, want.build, want.run);
  std::abort();
}

}  // namespace
}  // namespace nnrt::test

FUZZ_TARGET(offline_models)(const uint8_t* data, size_t size) {
  using namespace nnrt;
  using namespace nnrt::test;
  Random random(std::span(data, size));
  const Offline& offline = choose(random);
  Bytes file = offline.file;
  const bool as_cache = random.one_in(2);
  const int64_t edits = random.between(0, kMaxEdits);
  for (int64_t i = 0; i < edits; ++i) change(file, random);
  file = resealed(file);
  if (!runs_fast(file, offline.device)) return 0;
  const import::CompilationHandle compilation = open(file, as_cache);
  const Outcome outcome = build_and_run(compilation.get(), offline.device, offline.fed);
  if (edits == 0) expect_same(outcome, offline.outcome);
  return 0;
}
