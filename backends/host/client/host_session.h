// A client's connection to one host. Thread safe.
#pragma once

#include "backends/host/client/host_process.h"
#include "backends/host/transport/answer_channels.h"
#include "backends/host/transport/graph_message.h"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

namespace nnrt::host {

class Session : public std::enable_shared_from_this<Session> {
 public:
  // Connects and fetches the devices. `process` is the host if this client started it.
  static Result<std::shared_ptr<Session>> begin(Socket socket, HostProcess process);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const std::vector<DeviceRow>& devices() const { return devices_; }
  // Returns whether the host is gone. Always true in a forked child.
  bool ended() const;
  bool look_whether_ended();  // also detects a host that exited since the last request
  const HostProcess& process() const { return process_; }

  struct Question {
    Kind kind{};
    ByteWriter body = {};
    std::vector<Enclosure> enclosures = {};
    std::vector<std::shared_ptr<std::atomic<bool>>> known = {};  // set when the request succeeded
    std::vector<std::shared_ptr<void>> held = {};                // kept alive until it is answered
  };
  // A request whose body starts with a device or a model.
  static Question question_about(Kind kind, uint64_t id);
  struct Answer {
    Status status;
    Message message;
    size_t at = 0;  // position behind the status in the body
    ByteView rest() const { return message.body->subspan(at); }
  };
  // unavailable_device: the host is gone, or its answer was malformed and the session has ended. timeout: the
  // deadline passed, and the host may still be working on it. Errors of the host's device are in the answer's
  // status, and more data may follow them.
  Result<Answer> ask(Question question, Deadline deadline = {});
  // The same for answers whose status has nothing behind it.
  Result<Answer> ask_plainly(Question question);
  // Fails all waiting requests with unavailable_device, and kills the host if this client started it.
  void end(std::string_view reason) noexcept;
  // Ends the session because of a malformed answer and returns the error.
  Error nonsense(std::string_view what);

  // Returns the memory's number, enclosing it in the request if the host does not know it yet.
  uint64_t refer(const std::shared_ptr<SharedMemory>& memory, Question& question);
  // A memory received with an answer, under the host's number. Copied into this process's memory if its file
  // could shrink, which would crash this process.
  Result<std::shared_ptr<SharedMemory>> take_memory(const Enclosure& enclosure);
  // Memory allocated by the host's device, or by this process if the device's file could shrink.
  Result<std::shared_ptr<SharedMemory>> allocate(uint64_t device, size_t bytes);
  // Places a graph's constants in stores that the host has already or that get enclosed. The host keeps them
  // until they are dropped, or until nobody here uses them. `withheld`: per tensor, whether it is not sent.
  Result<std::vector<ConstantPlace>> place_constants(const Graph& graph, Question& question,
                                                     const std::vector<bool>& withheld = {});
  void drop_constants(const Graph& graph);
  // Tells the host to release an object. Never blocks.
  void forget(Kind kind, uint64_t id) noexcept;

 private:
  class MemoryLink;
  struct Store;
  struct Constant {
    std::weak_ptr<const void> owner;
    std::shared_ptr<Store> store;
    uint64_t offset = 0;
  };

  Session(Socket socket, HostProcess process);
  Status greet();
  Result<std::shared_ptr<SharedMemory>> link_memory(const Enclosure& enclosure);
  Error ended_error() const;

  const pid_t owner_;
  HostProcess process_;
  Channels channels_;
  std::vector<DeviceRow> devices_;
  std::atomic<bool> ended_ = false;
  std::atomic<uint64_t> last_id_ = 0;
  std::mutex constants_mutex_;
  std::map<std::pair<const std::byte*, size_t>, Constant> constants_;  // by address and size in this process
};

}  // namespace nnrt::host
