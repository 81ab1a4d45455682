#include "backends/host/transport/host_message.h"

#include "core/base/text.h"

#include <algorithm>

namespace nnrt::host {
namespace {

struct PacketHead {
  uint32_t kind;
  uint32_t attachments;
  uint64_t number;
  uint64_t body_bytes;
};

struct WireAttachment {
  uint32_t kind;
  uint32_t zero;
  uint64_t id;
  uint64_t bytes;
};

// The rest of a packet is for attachments.
constexpr size_t kMaxInlineBytes = size_t{1} << 15;
constexpr uint64_t kMaxBodyBytes = uint64_t{1} << 30;
static_assert(kMaxInlineBytes + kMaxFds * sizeof(WireAttachment) + sizeof(PacketHead) <= kMaxPacketBytes);

Error malformed(std::string_view what) { return {Code::connection, cat("Malformed message: ", what)}; }

Result<std::vector<Attachment>> read_attachments(ByteReader& reader, uint32_t count,
                                                 const std::vector<Fd>& fds) {
  if (count > fds.size() || fds.size() - count > 1) return malformed("its number of files is wrong.");
  std::vector<Attachment> attachments;
  for (uint32_t i = 0; i < count; ++i) {
    const auto wire = reader.get<WireAttachment>();
    if (wire.kind > uint32_t(AttachmentKind::bytes)) return malformed("it has an unknown attachment.");
    attachments.push_back({AttachmentKind(wire.kind), wire.id, wire.bytes, fds[i].get()});
  }
  return attachments;
}

}  // namespace

Status send(const Socket& socket, const Message& message, Deadline deadline) {
  const ByteView body = message.body ? *message.body : ByteView();
  const bool is_inline = body.size() <= kMaxInlineBytes;
  if (body.size() > kMaxBodyBytes || message.attachments.size() + 1 > kMaxFds)
    return Error{Code::memory,
                 cat("A message of ", body.size(), " bytes is too long to send to another process.")};
  const PacketHead head{uint32_t(message.kind), uint32_t(message.attachments.size()), message.number,
                        body.size()};
  std::vector<WireAttachment> wires;
  std::vector<int> fds;
  for (const Attachment& attachment : message.attachments) {
    wires.push_back({uint32_t(attachment.kind), 0, attachment.id, attachment.bytes});
    fds.push_back(attachment.fd);
  }
  Fd blob;
  if (!is_inline) {
    NNRT_ASSIGN(blob, make_blob({&body, 1}));
    fds.push_back(blob.get());
  }
  const ByteView parts[] = {std::as_bytes(std::span(&head, 1)), std::as_bytes(std::span(wires)),
                            is_inline ? body : ByteView()};
  return socket.send(parts, fds, deadline);
}

Result<Message> receive(const Socket& socket, std::span<std::byte> buffer, Deadline deadline, int process) {
  NNRT_ASSIGN(Socket::Packet received, socket.receive(buffer, deadline, process));
  ByteReader reader(received.bytes);
  const auto head = reader.get<PacketHead>();
  if (reader.bad() || head.kind > uint32_t(kLastKind)) return malformed("its kind is unknown.");
  if (received.has_lost_fds) return Message{Kind(head.kind), head.number, {}, {}, {}, true};
  Message message{Kind(head.kind), head.number, {}, {}, std::move(received.fds)};
  NNRT_ASSIGN(message.attachments, read_attachments(reader, head.attachments, message.fds));
  if (message.fds.size() > message.attachments.size()) {
    if (head.body_bytes > kMaxBodyBytes || !reader.at_end()) return malformed("its body is too long.");
    NNRT_ASSIGN(message.body, open_blob(message.fds.back(), size_t(head.body_bytes)));
    return message;
  }
  const ByteView body = reader.bytes(head.body_bytes);
  if (reader.bad() || !reader.at_end()) return malformed("its length does not match.");
  message.body = std::make_shared<const Bytes>(body.begin(), body.end());
  return message;
}

}  // namespace nnrt::host
