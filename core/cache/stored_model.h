// A compiled model read from the output of make_image(), which may be damaged, foreign or forged.
#pragma once

#include "core/base/byte_io.h"
#include "core/cache/cache_header.h"
#include "core/cache/stored_partitions.h"
#include "core/memory/byte_source.h"
#include "core/runtime/compile.h"

#include <memory>
#include <string>
#include <vector>

namespace nnrt {

// The devices and options to restore a model with.
struct RestoreRequest {
  Device& chosen;
  Device* fallback = nullptr;
  CompileOptions options;  // float16 is ignored: the stored value applies
  GraphPtr model;          // the client's, with identity header().model; null: read from the cache
};

struct RestoredModel {
  std::shared_ptr<const CompiledModel> model;
  bool renewed = false;  // a device recreated its part, for example with another driver; worth storing again
};

// The client's note behind the model; empty: none. invalid_file: damaged.
Result<Bytes> read_note(ByteSource& source, const CacheHeader& header);

class StoredModel {
 public:
  // invalid_file: damaged or foreign. Verifies header, lengths and the body's checksum.
  static Result<StoredModel> open(std::unique_ptr<ByteSource> source);

  struct StoredDevice {
    uint64_t id = 0;
    std::string name;
  };

  const CacheHeader& header() const { return header_; }
  const Bytes& note() const { return note_; }
  bool float16() const { return float16_; }
  const StoredDevice& device() const { return devices_[0]; }  // the chosen device
  bool runs_elsewhere() const { return devices_.size() > 1; }
  // invalid_file: the constants, which restore() does not read if it is given the model, are damaged.
  Status check_constants() const;

  // invalid_file: not a valid model, or one of its devices is missing. Everything is verified before a device
  // sees it.
  Result<RestoredModel> restore(const RestoreRequest& request) const;

 private:
  StoredModel(std::unique_ptr<ByteSource> source, CacheHeader header, Bytes note, SharedBytes body,
              std::vector<StoredConstant> constants)
      : source_(std::move(source)),
        header_(header),
        note_(std::move(note)),
        body_(std::move(body)),
        constants_(std::move(constants)),
        reader_(body_->first(body_->size() - constants_.size() * sizeof(StoredConstant))) {}

  Status read_head();
  Result<GraphPtr> read_client_graph(ByteReader& reader, bool is_believed) const;
  Status skip_client_graph(ByteReader& reader, const Graph& model) const;
  Result<std::vector<Device*>> devices_of(const RestoreRequest& request) const;
  Result<RestoredModel> make_ready(std::shared_ptr<CompiledModel> model,
                                   std::span<const StoredPartition> partitions,
                                   const RestoreRequest& request) const;
  Status read_constants(Graph& graph, const std::vector<bool>& is_constant) const;

  std::unique_ptr<ByteSource> source_;
  CacheHeader header_;
  Bytes note_;
  SharedBytes body_;
  std::vector<StoredConstant> constants_;
  ByteReader reader_;  // of the body without the table; positioned after read_head()'s part
  bool float16_ = false;
  std::vector<StoredDevice> devices_;
};

}  // namespace nnrt
