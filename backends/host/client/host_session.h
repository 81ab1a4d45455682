// The connection of a client and one host. Safe to use from several threads.
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
  // Asks for the devices. `process` is the host, where this client started it.
  static Result<std::shared_ptr<Session>> begin(Socket socket, HostProcess process);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const std::vector<DeviceRow>& devices() const { return devices_; }
  // Returns whether the host is gone. A child that was forked has none.
  bool ended() const;
  bool look_whether_ended();  // the same, also of a host that nobody has asked since
  const HostProcess& process() const { return process_; }

  struct Question {
    Kind kind{};
    ByteWriter body = {};
    std::vector<Enclosure> enclosures = {};
    std::vector<std::shared_ptr<std::atomic<bool>>> known = {};  // to be set when it is answered well
    std::vector<std::shared_ptr<void>> held = {};                // until it is answered
  };
  // Makes a question whose body begins with a device or a model.
  static Question question_about(Kind kind, uint64_t id);
  struct Answer {
    Status status;
    Message message;
    size_t at = 0;  // in the body, behind the status
    ByteView rest() const { return message.body->subspan(at); }
  };
  // unavailable_device: the host is gone, or what it says makes no sense; then it is gone from now on.
  // timeout: the deadline came first, and the host may be at it still. The host's own errors are the answer's
  // status, behind which more may stand.
  Result<Answer> ask(Question question, Deadline deadline = {});
  // The same for answers whose errors add nothing.
  Result<Answer> ask_plainly(Question question);
  // Whoever waits for an answer gets unavailable_device, and a host that is this client's own is killed.
  void end(std::string_view reason) noexcept;
  // The error for what makes no sense in an answer, after which the host is gone.
  Error nonsense(std::string_view what);

  // The number of a memory. One that the host does not know yet is enclosed.
  uint64_t refer(const std::shared_ptr<SharedMemory>& memory, Question& question);
  // A memory that came with an answer, under the host's number. A copy in a memory of this process if its
  // file can be made shorter, which would end this process.
  Result<std::shared_ptr<SharedMemory>> take_memory(const Enclosure& enclosure);
  // Memory that the host's device allocates, or one of this process if its file can be made shorter.
  Result<std::shared_ptr<SharedMemory>> allocate(uint64_t device, size_t bytes);
  // Finds the constants of a graph in stores that the host has already or that are enclosed. It keeps them
  // until they are dropped, or nobody here has them any more.
  Result<std::vector<ConstantPlace>> place_constants(const Graph& graph, Question& question);
  void drop_constants(const Graph& graph);
  // Reports what has no use any more. Never waits.
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
  std::map<std::pair<const std::byte*, size_t>, Constant> constants_;  // by where they are here
};

}  // namespace nnrt::host
