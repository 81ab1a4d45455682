// The messages between the two ends of a connection. A client asks, the host answers each question on the
// socket on which it came; a notice has no answer. One packet is one message; a long body lies in a sealed
// file beside it.
#pragma once

#include "backends/host/transport/host_socket.h"
#include "backends/host/transport/shared_blob.h"
#include "core/base/byte_io.h"

#include <cstdint>
#include <span>
#include <vector>

namespace nnrt::host {

// To be raised when any message is another. Both ends come from one build as a rule; a host that runs already
// may be older.
inline constexpr uint32_t kProtocol = 6;

enum class Kind : uint32_t {
  answer,
  hello,         // protocol -> protocol, devices
  open_channel,  // encloses a socket, on which the host then answers as well
  share,         // only encloses
  status,        // device -> DeviceStatus
  type,          // device -> DeviceType
  has,           // device, Feature -> flag
  supports,      // device, options, graph -> for each node a text; empty: taken
  prepare,       // device, options, graph -> model
  restore,       // device, options, graph; encloses what was exported -> model
  load,          // device, options; encloses bytes in a format of the device's own -> model, its tensors
  export_cache,  // model -> encloses bytes
  arena,         // model -> offsets
  kernels,       // model -> KernelReport
  input_ranges,  // model -> for each input the least and the most of each dimension
  run,           // model, deadline, views -> for each output its shape; encloses new memories
  allocate,      // device, bytes -> encloses a memory
  forget_model,  // a notice
  forget_memory,
  forget_store,
};
inline constexpr Kind kLastKind = Kind::forget_store;

constexpr bool is_notice(Kind kind) { return kind >= Kind::forget_model; }

// The numbers of memories that the host made have this bit, those of the client's have it not.
inline constexpr uint64_t kMadeByHost = uint64_t{1} << 63;

// A descriptor that goes with a message.
enum class Enclosed : uint32_t {
  socket,
  memory,  // memory of tensors; the sender's number stands for it until the client forgets it
  store,   // constants, sealed; likewise
  bytes,   // sealed, for this message alone
};

struct Enclosure {
  Enclosed what{};
  uint64_t id = 0;
  uint64_t bytes = 0;
  int fd = -1;  // somebody else's in a message to be sent
};

struct Message {
  Kind kind{};
  uint64_t number = 0;  // an answer repeats that of its question
  std::vector<Enclosure> enclosures;
  SharedBytes body;
  std::vector<Fd> fds;        // received ones: those of the enclosures, in their order
  bool has_lost_fds = false;  // there was no room for them: nothing but kind and number came
};

// Room for the packet that is received; each thread that receives has one.
using PacketBuffer = Bytes;

Status send(const Socket& socket, const Message& message, Deadline deadline = {});
// connection: also where what came is no message.
Result<Message> receive(const Socket& socket, std::span<std::byte> buffer, Deadline deadline = {},
                        int process = -1);

}  // namespace nnrt::host
