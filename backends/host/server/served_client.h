// The server's state for one client; answers its requests. Thread safe.
#pragma once

#include "backends/host/server/host_server.h"
#include "backends/host/transport/host_message.h"
#include "backends/host/transport/wire_format.h"
#include "core/base/bytes.h"
#include "core/graph/graph.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace nnrt::host {

// The constants of a restored model that the client keeps until the device wants them.
class WithheldConstants {
 public:
  WithheldConstants();

  // Deferred bytes that cannot be read: reading them only notes that the device wants them.
  SharedBytes add(TensorId id, size_t bytes);
  std::vector<TensorId> requested() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

// A response, keeping the sources of its attachments alive until it is sent.
struct Response {
  Message message;
  std::vector<Fd> fds;
  std::vector<std::shared_ptr<SharedMemory>> memories;
};

class ServedClient {
 public:
  // `open` receives the socket of a new channel; it fails if there are too many.
  ServedClient(const Devices& devices, std::function<Status(Socket)> open)
      : devices_(devices), open_(std::move(open)) {}

  // Always returns a response, empty for a notice. If a device throws, the response is `failed`.
  Response respond(Message request);
  // Releases the memories of a response that did not reach the client.
  void discard(const Response& response);

 private:
  struct Model {
    GraphPtr graph;
    std::unique_ptr<PreparedModel> prepared;
    Device* device = nullptr;
    Priority priority = Priority::none;
  };
  struct Run;
  template <typename T>
  struct Table {
    std::map<uint64_t, T> rows;
    T find(uint64_t id) const {
      const auto found = rows.find(id);
      return found == rows.end() ? T() : found->second;
    }
  };

  Status handle_request(Message& request, Response& response, ByteWriter& writer);
  Status accept_attachments(Message& request);
  Status accept_attachment(const Attachment& attachment, Fd& fd);
  Status dispatch(const Message& request, ByteReader& reader, Response& response, ByteWriter& writer);
  void forget(Kind kind, uint64_t id);
  // Attaches a memory and keeps it until the client forgets it.
  Status attach(std::shared_ptr<SharedMemory> memory, Response& response);

  Status hello(ByteReader& reader, ByteWriter& writer) const;
  Status describe_device(Kind kind, ByteReader& reader, ByteWriter& writer) const;
  Status supports(ByteReader& reader, ByteWriter& writer);
  Status prepare(ByteReader& reader, ByteWriter& writer);
  Status restore(const Message& request, ByteReader& reader, ByteWriter& writer);
  Status load(const Message& request, ByteReader& reader, ByteWriter& writer);
  Status keep(std::shared_ptr<Model> model, ByteWriter& writer);
  Status describe_model(Kind kind, ByteReader& reader, ByteWriter& writer);
  Status export_cache(ByteReader& reader, Response& response);
  Status run(ByteReader& reader, Response& response, ByteWriter& writer);
  Status allocate(ByteReader& reader, Response& response);

  Result<Device*> read_device(ByteReader& reader) const;
  Result<GraphPtr> read_graph(ByteReader& reader, WithheldConstants* withheld = nullptr);
  Result<std::shared_ptr<Model>> read_model(ByteReader& reader);
  Result<TensorView> view_of(const WireView& view);

  const Devices& devices_;
  const std::function<Status(Socket)> open_;
  std::mutex mutex_;  // guards the members below
  Table<std::shared_ptr<SharedMemory>> memories_;
  Table<SharedBytes> stores_;
  Table<std::shared_ptr<Model>> models_;
  uint64_t last_model_ = 0, last_memory_ = kHostIdBit;
};

}  // namespace nnrt::host
