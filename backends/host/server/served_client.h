// The server's state for one client; answers its requests. Thread safe.
#pragma once

#include "backends/host/server/host_server.h"
#include "backends/host/server/withheld_constants.h"
#include "backends/host/transport/host_message.h"
#include "backends/host/transport/wire_format.h"

#include <functional>
#include <map>
#include <mutex>

namespace nnrt::host {

// An answer, keeping the sources of its enclosures alive until it is sent.
struct Answer {
  Message message;
  std::vector<Fd> fds;
  std::vector<std::shared_ptr<SharedMemory>> memories;
};

class ServedClient {
 public:
  // `open` receives the socket of a new channel; it fails if there are too many.
  ServedClient(const Devices& devices, std::function<Status(Socket)> open)
      : devices_(devices), open_(std::move(open)) {}

  // Always returns an answer, empty for a notice. If a device throws, the answer is `failed`.
  Answer answer(Message question);
  // Undoes an answer that did not reach the client.
  void take_back(const Answer& answer);

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

  Status do_all(Message& question, Answer& answer, ByteWriter& writer);
  Status take_enclosures(Message& question);
  Status take_enclosure(const Enclosure& enclosure, Fd& fd);
  Status do_it(const Message& question, ByteReader& reader, Answer& answer, ByteWriter& writer);
  void forget(Kind kind, uint64_t id);
  // Encloses a memory and keeps it until the client forgets it.
  Status enclose(std::shared_ptr<SharedMemory> memory, Answer& answer);

  Status hello(ByteReader& reader, ByteWriter& writer) const;
  Status describe_device(Kind kind, ByteReader& reader, ByteWriter& writer) const;
  Status supports(ByteReader& reader, ByteWriter& writer);
  Status prepare(ByteReader& reader, ByteWriter& writer);
  Status restore(const Message& question, ByteReader& reader, ByteWriter& writer);
  Status load(const Message& question, ByteReader& reader, ByteWriter& writer);
  Status keep(std::shared_ptr<Model> model, ByteWriter& writer);
  Status describe_model(Kind kind, ByteReader& reader, ByteWriter& writer);
  Status export_cache(ByteReader& reader, Answer& answer);
  Status run(ByteReader& reader, Answer& answer, ByteWriter& writer);
  Status allocate(ByteReader& reader, Answer& answer);

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
  uint64_t last_model_ = 0, last_memory_ = kMadeByHost;
};

}  // namespace nnrt::host
