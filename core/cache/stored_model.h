// A compiled model read from the output of make_image(), which may be damaged, foreign or forged.
#pragma once

#include "core/base/byte_io.h"
#include "core/cache/block_checksum.h"
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
Result<Bytes> read_note(const ByteSource& source, const CacheHeader& header);

// How long a source can be read: during the call that it was opened for, as memory of the client, or as long
// as it is open.
enum class SourceLife : uint8_t { call, open };

class StoredModel {
 public:
  // invalid_file: damaged or foreign. Verifies header, lengths and the body's checksum. Constants and
  // devices' data are verified when they are read.
  static Result<StoredModel> open(std::unique_ptr<ByteSource> source, SourceLife life = SourceLife::call);

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
  // sees it, except its own data and weights in a file: those are read and verified when a device, an export
  // or a run on a fallback needs them.
  Result<RestoredModel> restore(const RestoreRequest& request) const;

 private:
  StoredModel(std::shared_ptr<const ByteSource> source, CacheHeader header, Bytes note, SharedBytes body,
              std::vector<StoredPart> table, SourceLife life)
      : source_(std::move(source)),
        header_(header),
        note_(std::move(note)),
        body_(std::move(body)),
        table_(std::move(table)),
        life_(life),
        reader_(body_->first(body_->size() - table_.size() * sizeof(StoredPart))) {}

  Status read_head();
  Result<RestoredModel> restore_parts(const RestoreRequest& request) const;
  Result<GraphPtr> read_client_graph(ByteReader& reader, bool is_trusted) const;
  Result<GraphPtr> read_lowered_graph(ByteReader& reader, const GraphPtr& graph, bool is_trusted) const;
  Status skip_client_graph(ByteReader& reader, const Graph& model) const;
  Result<std::vector<Device*>> devices_of(const RestoreRequest& request) const;
  Result<RestoredModel> make_ready(std::shared_ptr<CompiledModel> model,
                                   std::span<const StoredPartition> partitions,
                                   const RestoreRequest& request) const;
  Status read_constants(Graph& graph, const std::vector<bool>& is_constant, size_t first) const;
  std::vector<VerifiedPart> parts() const;
  std::vector<SharedBytes> deferred_made() const;

  std::shared_ptr<const ByteSource> source_;
  CacheHeader header_;
  Bytes note_;
  SharedBytes body_;
  std::vector<StoredPart> table_;  // constants, then the devices' data
  SourceLife life_;
  ByteReader reader_;  // of the body without the table; positioned after read_head()'s part
  bool float16_ = false;
  std::vector<StoredDevice> devices_;
};

}  // namespace nnrt
