// The structs behind the opaque handles, and their ownership. The executor's is in
// api/execution/nn_executor.h.
#pragma once

#include "core/device/residence.h"
#include "core/platform/trace.h"
#include "core/runtime/compile.h"
#include "core/schema/graph_builder.h"

#include <neural_network_runtime/neural_network_runtime_type.h>

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace nnrt {

// A model made from a client's graph instead of calls. Nodes of that graph are lowered to operations.
struct ClientGraph {
  std::shared_ptr<const void> graph;           // destroyed with the model; null: the client's
  std::vector<uint32_t> origins;               // by operation: its node
  std::vector<std::optional<Error>> refusals;  // by node
};

// Shared by a model and its compilations, which may be destroyed in any order (api.md 3). The mutex only
// protects finishing a model while a compilation of it is built; the client serializes everything else.
struct SharedModel {
  std::mutex mutex;
  GraphBuilder builder;
  std::optional<ClientGraph> client;
};

struct OfflineFile {
  std::string path;
};

// The client's memory, not copied.
struct OfflineBuffer {
  ByteView bytes;
};

// Source of a compilation; monostate: a cache, set later.
using Source = std::variant<std::monostate, std::shared_ptr<SharedModel>, OfflineFile, OfflineBuffer>;

enum class BuildState : uint8_t { configuring, built, failed };

}  // namespace nnrt

struct NN_TensorDesc {
  std::string name;
  nnrt::DType dtype = nnrt::DType::unknown;
  nnrt::Format format = nnrt::Format::none;
  std::vector<int32_t> shape;  // empty: not set, or a scalar
};

namespace nnrt {

struct TensorPlace {
  std::shared_ptr<SharedMemory> memory;
  int fd = -1;        // as passed by the client
  size_t size = 0;    // total size of the memory
  size_t offset = 0;  // of the tensor in the memory
  bool is_own = false;
  bool may_grow = false;  // a run with a larger result replaces the memory
};

}  // namespace nnrt

struct NN_Tensor {
  // Written by runs, including asynchronous ones.
  std::shared_ptr<NN_TensorDesc> desc;
  std::shared_ptr<nnrt::TensorPlace> place;
  std::shared_ptr<nnrt::Residence> residence = nullptr;  // null: not kept on a device
};

struct NN_QuantParam {
  std::vector<double> scales;
  std::vector<int32_t> zero_points;
  std::vector<uint32_t> bits;
};

struct OH_NNModel {
  std::shared_ptr<nnrt::SharedModel> shared = std::make_shared<nnrt::SharedModel>();
  std::unique_ptr<bool[]> available;  // result of the last GetAvailableOperations
};

struct OH_NNCompilation {
  nnrt::Source source;
  size_t device_id = 0;
  bool device_is_set = false;
  bool float16 = false;
  int performance = OH_NN_PERFORMANCE_NONE;  // any number; Build checks it
  int priority = OH_NN_PRIORITY_NONE;
  std::string cache_directory;  // empty: none
  uint32_t cache_version = 0;
  nnrt::ByteView imported_cache;  // the client's memory, not copied
  std::map<std::string, std::string, std::less<>> extensions;
  nnrt::Bytes note;  // for the exported model; empty: none
  nnrt::BuildState state = nnrt::BuildState::configuring;
  std::shared_ptr<nnrt::trace::Session> trace;  // outlives the model; null: none
  // Set by Build: `compiled` has everything that a cache needs, `for_runs` is shared by executors.
  std::shared_ptr<const nnrt::CompiledModel> compiled, for_runs;
};
