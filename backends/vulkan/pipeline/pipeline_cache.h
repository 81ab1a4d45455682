// The pipelines of a device, each made once and shared by all models.
#pragma once

#include "backends/vulkan/device/vk_handle.h"
#include "backends/vulkan/pipeline/dispatch.h"
#include "backends/vulkan/pipeline/shader_reflection.h"

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace nnrt::vulkan {

class Context;

// A shader as the device has it.
struct ShaderModule {
  Shader shader;
  std::span<const uint32_t> words;
  UniqueSetLayout set_layout;
  UniquePipelineLayout layout;
};

struct Pipeline {
  const ShaderModule* shader = nullptr;
  UniquePipeline pipeline;
  mutable std::atomic<bool> warm{false};  // dispatched before
};
// Whoever records commands with a pipeline holds it until the device is done with them.
using PipelinePtr = std::shared_ptr<const Pipeline>;

// Thread safe. It keeps pipelines that nobody holds any more for models to come, a limited number of them.
class PipelineCache {
 public:
  // Beyond so many that nobody holds, those go that were asked for least recently. A software driver takes
  // about a megabyte for each.
  static constexpr size_t kMaxUnused = 64;

  static Result<std::unique_ptr<PipelineCache>> create(const Context& context);
  PipelineCache(const Context& context, UniquePipelineCache driver_cache);

  // Returns the pipelines of the dispatches, in their order; several are made at a time. `ready` is called
  // for each of them that is not warm, once, as soon as there is one. Fails if a shader is unknown, or wants
  // other buffers, push constants or local size than its dispatch has: a mistake in a lowering.
  using Ready = std::function<Status(const Dispatch&, const PipelinePtr&)>;
  Result<std::vector<PipelinePtr>> get(std::span<const Dispatch* const> dispatches, const Ready& ready);

  // Returns the number of pipelines.
  size_t size() const;

  // The data that the driver would keep of all its pipelines; may be empty.
  Bytes export_driver_data() const;
  // Spares the driver work on pipelines to come. Ignored where another driver wrote it.
  void import_driver_data(ByteView data);

 private:
  using Key = std::tuple<std::string_view, std::vector<uint32_t>, Size3, uint32_t, uint32_t>;

  struct Entry {
    Pipeline pipeline;
    std::mutex mutex;        // held while it is made
    uint64_t last_used = 0;  // by uses_
  };
  using EntryPtr = std::shared_ptr<Entry>;
  // The driver keeps pipelines in it for as long as it exists.
  using DriverCache = std::shared_ptr<const UniquePipelineCache>;

  Result<EntryPtr> find(const Dispatch& dispatch);
  void drop_unused();
  DriverCache driver_cache() const;
  Status complete(Entry& entry, const Dispatch& dispatch) const;
  Result<const ShaderModule*> module(std::string_view name);
  Result<UniquePipeline> make_pipeline(const ShaderModule& module, const Dispatch& dispatch) const;

  const Context& context_;
  mutable std::mutex mutex_;
  DriverCache driver_cache_;
  size_t dropped_ = 0;  // pipelines that went since the driver's cache was made
  uint64_t uses_ = 0;
  std::map<std::string_view, std::unique_ptr<ShaderModule>>
      modules_;  // names are those of the embedded table
  std::map<Key, EntryPtr> pipelines_;
};

}  // namespace nnrt::vulkan
