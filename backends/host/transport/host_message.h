// Messages of the host protocol. A client sends requests; the host answers each one on the socket on which it
// arrived. Notices have no response. One packet is one message; a long body is in an attached sealed file.
#pragma once

#include "backends/host/transport/host_socket.h"
#include "backends/host/transport/shared_blob.h"
#include "core/base/byte_io.h"

#include <cstdint>
#include <span>
#include <vector>

namespace nnrt::host {

// Increase with any change of the messages. Usually both ends are from the same build, but a running host may
// be older.
inline constexpr uint32_t kProtocol = 7;

enum class Kind : uint32_t {
  response,
  hello,         // protocol -> protocol, devices
  open_channel,  // attaches a socket, which the host then serves too
  share,         // attachments only
  status,        // device -> DeviceStatus
  type,          // device -> DeviceType
  has,           // device, Feature -> flag
  supports,      // device, options, graph -> per node a reason, empty if supported
  prepare,       // device, options, graph -> model
  restore,       // device, options, graph; attaches what was exported -> model, or 0 and constants to send
  load,          // device, options; attaches bytes in the device's format -> model, its tensors
  export_cache,  // model -> attaches bytes
  arena,         // model -> offsets
  kernels,       // model -> KernelReport
  input_ranges,  // model -> per input the minimum and maximum of each dimension
  run,           // model, deadline, views -> per output its shape; attaches new memories
  allocate,      // device, bytes -> attaches a memory
  forget_model,  // notice
  forget_memory,
  forget_store,
};
inline constexpr Kind kLastKind = Kind::forget_store;

constexpr bool is_notice(Kind kind) { return kind >= Kind::forget_model; }

// Set in the numbers of memories that the host created; clear in the client's.
inline constexpr uint64_t kHostIdBit = uint64_t{1} << 63;

// A descriptor attached to a message.
enum class AttachmentKind : uint32_t {
  socket,
  memory,  // tensor memory; known by the sender's number until the client forgets it
  store,   // sealed constants; known by number in the same way
  bytes,   // sealed, for this message only
};

struct Attachment {
  AttachmentKind kind{};
  uint64_t id = 0;
  uint64_t bytes = 0;
  int fd = -1;  // not owned; only in messages to be sent
};

struct Message {
  Kind kind{};
  uint64_t number = 0;  // a response repeats its request's number
  std::vector<Attachment> attachments;
  SharedBytes body;
  std::vector<Fd> fds;        // received ones, in the order of the attachments
  bool has_lost_fds = false;  // descriptors were dropped for lack of room; only kind and number are valid
};

// Buffer for a received packet, one per receiving thread.
using PacketBuffer = Bytes;

Status send(const Socket& socket, const Message& message, Deadline deadline = {});
// connection: also if the packet is malformed.
Result<Message> receive(const Socket& socket, std::span<std::byte> buffer, Deadline deadline = {},
                        int process = -1);

}  // namespace nnrt::host
