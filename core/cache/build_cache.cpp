#include "core/cache/build_cache.h"

#include "core/base/text.h"
#include "core/cache/cache_directory.h"
#include "core/cache/graph_encoding.h"
#include "core/cache/model_note.h"
#include "core/device/cache_traits.h"
#include "core/platform/compat.h"
#include "core/platform/log.h"
#include "core/platform/trace.h"
#include "core/runtime/offline_model.h"

#include <algorithm>
#include <atomic>
#include <future>
#include <optional>

namespace nnrt {
namespace {

RestoreRequest request_of(const BuildTarget& target, GraphPtr model) {
  return {target.chosen, target.fallback, target.options, std::move(model)};
}

bool is_for(const StoredModel& stored, const Device& device) {
  return stored.device().id == device.info().id;
}

// identity() of the client's model, computed on another thread while this one reads a file.
class Identity {
 public:
  explicit Identity(const GraphPtr& graph) {
    const auto find = [graph] {
      const trace::Span span("compile", "identify model");
      return identity(*graph);
    };
    try {
      found_ = std::async(std::launch::async, find);
    } catch (const std::exception&) {
      found_ = std::async(std::launch::deferred, find);  // no thread available
    }
  }
  uint64_t get() { return found_.get(); }

 private:
  std::future<uint64_t> found_;
};

// The reason why a cache does not match this compilation; empty if it does.
std::string mismatch(const StoredModel& stored, Identity& model, const CacheRequest& cache,
                     const BuildTarget& target) {
  const CacheHeader& header = stored.header();
  if (header.version < cache.version) return cat("its version (", header.version, ") is an earlier one");
  if (!is_for(stored, target.chosen)) return cat("it was compiled for device ", stored.device().name);
  if (stored.float16() != target.options.float16)
    return cat("it was compiled with", stored.float16() ? "" : "out", " float16");
  if (header.model != model.get()) return "it belongs to another model";
  if (stored.runs_elsewhere() && target.fallback == nullptr && target.chosen.members().empty())
    return "it partly runs on another device";
  return {};
}

Status check_not_newer(const StoredModel& stored, const CacheDirectory& directory,
                       const CacheRequest& cache) {
  if (stored.header().version <= cache.version) return {};
  return Error{compat::newer_cache(), cat("Version (", stored.header().version, ") of cache ",
                                          directory.container_path(), " is later than ", cache.version, ".")};
}

Status save(const CacheDirectory& directory, const CompiledModel& model, uint32_t version, ByteView note) {
  if (model.short_of_memory) {
    log(LogLevel::warning, cat("Cache ", directory.container_path(),
                               " is not saved, because this build lacked memory that the next may have."));
    return {};
  }
  NNRT_ASSIGN(const CacheImage image, make_image(model, version));
  NNRT_TRY(directory.save(image, note));
  log(LogLevel::info, cat("Cache ", directory.container_path(), " is saved: ", image.size(),
                          " bytes, version ", version, "."));
  return {};
}

// Stores the cache again if devices recreated their parts. Failures are only logged.
BuiltModel renew(const CacheDirectory& directory, RestoredModel restored, uint32_t version, ByteView note) {
  if (restored.renewed) {
    const Status status = save(directory, *restored.model, version, note);
    if (!status.ok()) log(LogLevel::warning, status.error().message);
  }
  return std::move(restored.model);
}

void warn_once(const Error& error) {
  static std::atomic_flag warned;
  if (!warned.test_and_set()) log(LogLevel::warning, cat(error.message, " The model is not cached."));
}

// Whether a later start can restore the cache by its note, without the model.
bool is_current(const StoredModel& stored, ByteView note) {
  return std::ranges::equal(note, stored.note()) && stored.check_constants().ok();
}

// Empty if the directory has no matching cache; the reason is logged.
Result<std::optional<RestoredModel>> try_restore(const CacheDirectory& directory, const CacheRequest& cache,
                                                 const GraphPtr& graph, const BuildTarget& target) {
  const auto anew = [&](LogLevel level, std::string_view why) {
    log(level, cat("Cache ", directory.container_path(), " is rebuilt: ", why));
    return std::optional<RestoredModel>();
  };
  if (!directory.has_info()) return anew(LogLevel::info, "it does not exist yet.");
  Identity model(graph);
  const auto stored = directory.read();
  // A file that cannot be read now may be of a later version, so it is left untouched.
  if (!stored.ok() && stored.error().code == Code::memory) return stored.error();
  if (!stored.ok()) return anew(LogLevel::warning, stored.error().message);
  if (!stored.value()) return anew(LogLevel::info, "it does not exist yet.");
  NNRT_TRY(check_not_newer(*stored.value(), directory, cache));
  if (const std::string why = mismatch(*stored.value(), model, cache, target); !why.empty())
    return anew(LogLevel::info, why + ".");
  auto restored = stored.value()->restore(request_of(target, graph));
  if (!restored.ok()) return anew(LogLevel::warning, restored.error().message);
  if (!cache.note.empty() && !is_current(*stored.value(), cache.note)) restored.value().renewed = true;
  return std::optional(std::move(restored).value());
}

// A cache without the client's model, or an offline model.
Result<RestoredModel> restore_alone(const StoredModel& stored, const BuildTarget& target) {
  if (!is_for(stored, target.chosen)) {
    return damaged("It was compiled for device ", stored.device().name, ", not for ",
                   target.chosen.info().name, ".");
  }
  if (stored.float16() != target.options.float16) {
    log(LogLevel::warning, cat("The cache was compiled with", stored.float16() ? "" : "out",
                               " float16, and there is no model to compile it otherwise."));
  }
  return stored.restore(request_of(target, nullptr));
}

BuiltModel restore_from(std::unique_ptr<ByteSource> source, SourceLife life, const BuildTarget& target) {
  NNRT_ASSIGN(const StoredModel stored, StoredModel::open(std::move(source), life));
  NNRT_ASSIGN(RestoredModel restored, restore_alone(stored, target));
  return std::move(restored.model);
}

bool is_cache(ByteSource& source) {
  if (source.size() < kHeaderBytes) return false;
  const auto header = source.read(0, kHeaderBytes, false);
  return header.ok() && CacheHeader::decode(*header.value()).ok();
}

// Bytes that are not an offline model for this device fail the Build (api.md 11.2). Unknown bytes may be in a
// device-specific format.
BuiltModel load_from(std::unique_ptr<ByteSource> source, SourceLife life, const BuildTarget& target) {
  if (auto* loader = dynamic_cast<OfflineLoader*>(&target.chosen); loader != nullptr && !is_cache(*source)) {
    NNRT_ASSIGN(const SharedBytes bytes, source->read(0, source->size(), false));
    auto loaded = load_offline(target.chosen, *loader, *bytes, target.options);
    if (loaded.ok()) return loaded;
    return std::move(loaded).error().during("loading the offline model");
  }
  BuiltModel model = restore_from(std::move(source), life, target);
  if (model.ok()) return model;
  Error error = std::move(model).error();
  if (error.code == Code::invalid_file) error.code = Code::failed;
  return std::move(error).during("loading the offline model");
}

}  // namespace

BuiltModel build_through_cache(const CacheRequest& cache, const GraphPtr& graph, const BuildTarget& target) {
  NNRT_TRY(ensure_read(*graph));
  auto directory = CacheDirectory::open(cache.directory, cache.model_name);
  if (directory.ok()) {
    NNRT_ASSIGN(std::optional<RestoredModel> restored, try_restore(directory.value(), cache, graph, target));
    if (restored) return renew(directory.value(), *std::move(restored), cache.version, cache.note);
  } else if (!cache.optional) {
    return std::move(directory).error();
  }
  NNRT_ASSIGN(auto model, compile(graph, target.chosen, target.fallback, target.options));
  const Status saved = directory.ok() ? save(directory.value(), *model, cache.version, cache.note)
                                      : Status(std::move(directory).error());
  if (!saved.ok() && !cache.optional) return saved.error();
  if (!saved.ok()) warn_once(saved.error());
  return model;
}

BuiltModel restore_from_directory(const CacheRequest& cache, const BuildTarget& target) {
  NNRT_ASSIGN(const CacheDirectory directory, CacheDirectory::open(cache.directory, cache.model_name));
  auto stored = directory.read();
  const std::string what = "reading cache " + directory.container_path();
  if (!stored.ok()) return std::move(stored).error().during(what);
  if (!stored.value()) return invalid("There is no cache ", directory.container_path(), ", and no model.");
  NNRT_TRY(check_not_newer(*stored.value(), directory, cache));
  const uint32_t version = stored.value()->header().version;
  if (version < cache.version) {
    return invalid("Version (", version, ") of cache ", directory.container_path(), " is earlier than ",
                   cache.version, ", and there is no model to compile.");
  }
  if (!cache.note.empty() && !std::ranges::equal(cache.note, stored.value()->note()))
    return damaged("Cache ", directory.container_path(), " has another note.");
  auto restored = restore_alone(*stored.value(), target);
  if (!restored.ok()) return std::move(restored).error().during(what);
  return renew(directory, std::move(restored).value(), version, stored.value()->note());
}

BuiltModel restore_from_buffer(ByteView bytes, const BuildTarget& target) {
  auto model = restore_from(source_of(bytes), SourceLife::call, target);
  if (model.ok()) return model;
  return std::move(model).error().during("reading the imported cache");
}

BuiltModel load_offline_model(const std::string& path, const BuildTarget& target) {
  NNRT_ASSIGN(auto source, source_of_file(path));
  return load_from(std::move(source), SourceLife::open, target);
}

BuiltModel load_offline_model(ByteView bytes, const BuildTarget& target) {
  return load_from(source_of(bytes), SourceLife::call, target);
}

Result<std::optional<OfflineModelOrigin>> origin_of_offline_model(const std::string& path) {
  NNRT_ASSIGN(auto source, source_of_file(path));
  if (!is_cache(*source)) return std::optional<OfflineModelOrigin>();
  NNRT_ASSIGN(const StoredModel stored, StoredModel::open(std::move(source)));
  return std::optional(OfflineModelOrigin{stored.device(), stored.float16()});
}

Result<Bytes> note_of_offline_model(const std::string& path) {
  NNRT_ASSIGN(auto source, source_of_file(path));
  if (!is_cache(*source)) return Bytes();
  NNRT_ASSIGN(const SharedBytes start, source->read(0, kHeaderBytes, false));
  NNRT_ASSIGN(const CacheHeader header, CacheHeader::decode(*start));
  if (header.length > source->size())
    return damaged("It has ", source->size(), " bytes, not ", header.length, ".");
  return read_note(*source, header);
}

Status export_cache(const CompiledModel& model, uint32_t version, ByteView note, std::span<std::byte> buffer,
                    size_t& size) {
  NNRT_ASSIGN(const CacheImage image, make_image(model, version));
  const Bytes end = note.empty() ? Bytes() : encode_note(note);
  size = image.size() + end.size();
  if (size > buffer.size())
    return invalid("The cache takes ", size, " bytes; the buffer has ", buffer.size(), ".");
  auto* position = buffer.data();
  for (const SharedBytes& piece : image.pieces) position = std::ranges::copy(*piece, position).out;
  std::ranges::copy(end, position);
  return {};
}

}  // namespace nnrt
