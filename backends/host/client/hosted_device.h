// A device in another process.
#pragma once

#include "backends/host/client/host_session.h"
#include "core/device/cache_traits.h"
#include "core/device/device.h"
#include "core/runtime/offline_model.h"

#include <functional>
#include <memory>
#include <mutex>

namespace nnrt::host {

// A host of devices, across the processes that successively play that role.
class Host {
 public:
  using Start = std::function<Result<std::shared_ptr<Session>>()>;
  explicit Host(Start start) : start_(std::move(start)) {}

  // The current session, or a new one if there is none or it has ended.
  Result<std::shared_ptr<Session>> session();

 private:
  const Start start_;
  std::mutex mutex_;
  std::shared_ptr<Session> session_;
};

// Deferred constants stay in their file unless the host's device needs them to restore a model.
class HostedDevice final : public Device, public OfflineLoader, public DeferredReader {
 public:
  HostedDevice(std::shared_ptr<Host> host, DeviceRow row);

  const DeviceInfo& info() const override { return row_.info; }
  std::vector<DeviceProperty> properties() const override { return row_.properties; }
  // Lost if the host says so, or if there is none and none can be started.
  DeviceStatus status() const override;
  Result<DeviceType> type() const override;
  Result<bool> has(Feature feature) const override;
  bool is_plugin() const override { return row_.is_plugin; }
  bool is_exclusive() const override { return row_.is_exclusive; }
  Result<std::vector<Refusal>> supports(const Graph& graph, const CompileOptions& options) const override;
  Result<std::unique_ptr<PreparedModel>> prepare(GraphPtr graph, const CompileOptions& options) override;
  std::string cache_key() const override;
  Result<std::unique_ptr<PreparedModel>> restore(GraphPtr graph, const CompileOptions& options,
                                                 const SharedBytes& cached) override;
  Result<OfflineModel> load(ByteView bytes, const CompileOptions& options) override;
  uint64_t max_tensor_bytes() const override { return row_.max_tensor_bytes; }
  DeviceCosts costs() const override { return row_.costs; }
  // Plugins allocate their drivers' memory; for other devices this returns a memfd of this process.
  Result<std::shared_ptr<SharedMemory>> allocate(size_t bytes) override;

 private:
  using SessionPtr = std::shared_ptr<Session>;

  Result<Session::Response> call(Session::Request request) const;
  Result<std::vector<Refusal>> query_support(Session& session, const Graph& graph,
                                             const CompileOptions& options) const;
  Result<Session::Request> graph_request(Kind kind, Session& session, const Graph& graph,
                                         const CompileOptions& options,
                                         const std::vector<bool>& withheld = {}) const;
  // Null, with the constants to send removed from `withheld`, if the host's device needs them. Never null if
  // nothing is withheld.
  Result<std::unique_ptr<PreparedModel>> try_restore(const SessionPtr& session, const Graph& graph,
                                                     const CompileOptions& options, int exported,
                                                     size_t bytes, std::vector<bool>& withheld) const;
  static Status read_missing(ByteReader& reader, Session& session, std::vector<bool>& withheld);
  std::unique_ptr<PreparedModel> keep(SessionPtr session, const Graph& graph, uint64_t id) const;
  std::unique_ptr<PreparedModel> model_of(SessionPtr session, GraphPtr graph, uint64_t id) const;

  const std::shared_ptr<Host> host_;
  DeviceRow row_;
};

}  // namespace nnrt::host
