// A model prepared in another process.
#pragma once

#include "backends/host/client/host_session.h"
#include "core/device/device.h"

#include <functional>

namespace nnrt::host {

class HostedModel final : public PreparedModel {
 public:
  // Allocates memory for outputs.
  using Allocate = std::function<Result<std::shared_ptr<SharedMemory>>(size_t bytes)>;

  // `id`: the host's number. is_plugin: the device is a plugin.
  HostedModel(std::shared_ptr<Session> session, GraphPtr graph, uint64_t id, Allocate allocate,
              bool is_plugin)
      : session_(std::move(session)),
        graph_(std::move(graph)),
        id_(id),
        allocate_(std::move(allocate)),
        is_plugin_(is_plugin) {}
  ~HostedModel() override { session_->forget(Kind::forget_model, id_); }

  // unavailable_device forever once the host is gone. timeout at the deadline, even if the device is still
  // running; it then continues in memory that its process has mapped.
  Status run(std::span<const TensorView> inputs, std::span<OutputSlot> outputs, Deadline deadline) override;
  Result<std::vector<DimRange>> input_ranges() override;
  Result<Bytes> export_cache(const GraphPtr& graph) const override;
  ArenaPlan arena() const override;
  KernelReport kernels(const GraphPtr& graph) const override;

 private:
  Status allocate_outputs(std::span<OutputSlot> outputs) const;
  Status read_outputs(const Session::Response& response, std::span<OutputSlot> outputs) const;
  Status read_output(ByteReader& reader, const Session::Response& response, size_t& attachment, size_t index,
                     OutputSlot& output) const;

  const std::shared_ptr<Session> session_;
  const GraphPtr graph_;
  const uint64_t id_;
  const Allocate allocate_;
  const bool is_plugin_;
};

}  // namespace nnrt::host
