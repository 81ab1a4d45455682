// A client's connection to one host. Thread safe.
#pragma once

#include "backends/host/client/host_process.h"
#include "backends/host/transport/graph_message.h"
#include "backends/host/transport/request_channels.h"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

namespace nnrt::host {

class Session : public std::enable_shared_from_this<Session> {
 public:
  // Connects and fetches the devices. `process` is the host if this client started it.
  static Result<std::shared_ptr<Session>> connect(Socket socket, HostProcess process);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const std::vector<DeviceRow>& devices() const { return devices_; }
  // Returns whether the host is gone. Always true in a forked child.
  bool closed() const;
  bool poll_closed();  // also detects a host that exited since the last request
  const HostProcess& process() const { return process_; }

  struct Request {
    Kind kind{};
    ByteWriter body = {};
    std::vector<Attachment> attachments = {};
    std::vector<std::shared_ptr<std::atomic<bool>>> delivered = {};  // set when the request succeeds
    std::vector<std::shared_ptr<void>> keep_alive = {};              // until the response arrives
  };
  // A request whose body starts with a device or a model.
  static Request request_for(Kind kind, uint64_t id);
  struct Response {
    Status status;
    Message message;
    size_t at = 0;  // position behind the status in the body
    ByteView rest() const { return message.body->subspan(at); }
  };
  // unavailable_device: the host is gone, or its response was malformed and the session has ended. timeout:
  // the deadline passed, and the host may still be working on it. Errors of the host's device are in the
  // answer's status, and more data may follow them.
  Result<Response> call(Request request, Deadline deadline = {});
  // Returns an error status of the response as the error.
  Result<Response> checked_call(Request request);
  // Fails all waiting requests with unavailable_device, and kills the host if this client started it.
  void close(std::string_view reason) noexcept;
  // Ends the session because of a malformed response and returns the error.
  Error malformed_response(std::string_view what);

  // Returns the memory's number, attaching it to the request if the host does not know it yet.
  uint64_t attach(const std::shared_ptr<SharedMemory>& memory, Request& request);
  // A memory received with a response, under the host's number. Copied into this process's memory if its file
  // could shrink, which would crash this process.
  Result<std::shared_ptr<SharedMemory>> take_memory(const Attachment& attachment);
  // Memory allocated by the host's device, or by this process if the device's file could shrink.
  Result<std::shared_ptr<SharedMemory>> allocate(uint64_t device, size_t bytes);
  // Places a graph's constants in stores that the host has already or that get attached. The host keeps them
  // until they are dropped, or until nobody here uses them. `withheld`: per tensor, whether it is not sent.
  Result<std::vector<ConstantPlace>> place_constants(const Graph& graph, Request& request,
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
  Status handshake();
  Result<std::shared_ptr<SharedMemory>> link_memory(const Attachment& attachment);
  Error closed_error() const;

  const pid_t owner_;
  HostProcess process_;
  Channels channels_;
  std::vector<DeviceRow> devices_;
  std::atomic<bool> closed_ = false;
  std::atomic<uint64_t> last_id_ = 0;
  std::mutex constants_mutex_;
  std::map<std::pair<const std::byte*, size_t>, Constant> constants_;  // by address and size in this process
};

}  // namespace nnrt::host
