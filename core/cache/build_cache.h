// Build with a cache or an offline model (api.md 8), and the output of ExportCacheToBuffer.
#pragma once

#include "core/cache/stored_model.h"
#include "core/runtime/compile.h"

#include <memory>
#include <optional>
#include <span>
#include <string>

namespace nnrt {

// From SetCache, the extension config ModelName and OH_NNRt_SetModelNote.
struct CacheRequest {
  std::string directory, model_name;
  uint32_t version = 0;
  ByteView note{};        // stored with the model; unless empty, only a cache with the same note is current
  bool optional = false;  // builds without the directory if it cannot be used
};

// Devices and options of one Build.
struct BuildTarget {
  Device& chosen;
  Device* fallback = nullptr;
  CompileOptions options;
};

using BuiltModel = Result<std::shared_ptr<const CompiledModel>>;

// Restores from the directory if it has a matching cache, otherwise compiles and saves. A cache of the same
// model with another note is restored and saved again.
BuiltModel build_through_cache(const CacheRequest& cache, const GraphPtr& graph, const BuildTarget& target);

// Without a model. invalid_file: the cache has another note.
BuiltModel restore_from_directory(const CacheRequest& cache, const BuildTarget& target);
BuiltModel restore_from_buffer(ByteView bytes, const BuildTarget& target);
BuiltModel load_offline_model(const std::string& path, const BuildTarget& target);
BuiltModel load_offline_model(ByteView bytes, const BuildTarget& target);

struct OfflineModelOrigin {
  StoredModel::StoredDevice device;  // the chosen one
  bool float16 = false;
};
// Empty if the file was not written by export_cache(); invalid_file if it was, but is damaged.
Result<std::optional<OfflineModelOrigin>> origin_of_offline_model(const std::string& path);

// The note of an offline model that export_cache() wrote; empty: it has none, or the file is another format.
Result<Bytes> note_of_offline_model(const std::string& path);

// Writes what SetCache would store and, unless it is empty, the client's note. invalid_parameter, with the
// size that is needed, if it does not fit.
Status export_cache(const CompiledModel& model, uint32_t version, ByteView note, std::span<std::byte> buffer,
                    size_t& size);

}  // namespace nnrt
