// Converts packets with file descriptors to and from fuzz input bytes.
#pragma once

#include "backends/host/transport/host_message.h"
#include "backends/host/transport/shared_blob.h"
#include "core/base/byte_io.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include <algorithm>
#include <vector>

namespace nnrt::fuzz {

// Name of the plugin hosted beside the CPU.
inline constexpr const char* kPluginName = "Simple_Test_v2_1";

enum class File : uint8_t { sealed, memory, read_only, socket, other };

struct Packet {
  bool is_response = false;  // gets the number of the request it answers
  Bytes bytes;
  std::vector<host::Fd> fds;
};

// Writes what `host::send` would send on a socket.
inline void write_packet(ByteWriter& writer, bool is_response, const host::Message& message) {
  const auto ends = host::Socket::pair().value();
  static_cast<void>(host::send(ends.first, message));
  Bytes buffer(host::kMaxPacketBytes);
  const auto received = ends.second.receive(buffer).value();
  writer.put(uint8_t(is_response));
  writer.put(uint8_t(received.fds.size()));
  writer.put(uint16_t(received.bytes.size()));
  writer.bytes(received.bytes);
  for (const host::Fd& fd : received.fds) {
    const off_t size = lseek(fd.get(), 0, SEEK_END);
    const int seals = fcntl(fd.get(), F_GET_SEALS);
    if (size < 0) {
      writer.put(File::socket);
    } else if (seals < 0 || (seals & F_SEAL_WRITE) == 0) {
      writer.put(File::memory);
    } else {
      Bytes bytes(static_cast<size_t>(size));
      if (pread(fd.get(), bytes.data(), bytes.size(), 0) != size) bytes.clear();
      writer.put(File::sealed);
      writer.put(uint16_t(bytes.size()));
      writer.bytes(bytes);
    }
  }
}

inline host::Fd make_file(ByteReader& reader) {
  constexpr off_t kBytes = 4096;
  switch (reader.choice(File::other)) {
    case File::sealed: {
      const ByteView bytes = reader.bytes(reader.get<uint16_t>());
      return host::make_blob({&bytes, 1}).value();
    }
    case File::memory: {
      host::Fd fd(memfd_create("fuzz", MFD_CLOEXEC));
      return ftruncate(fd.get(), kBytes) == 0 ? std::move(fd) : host::Fd();
    }
    case File::read_only: return host::Fd(open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
    case File::socket: return host::Socket::pair().value().first.release();
    default: return host::Fd(open("/dev/null", O_RDWR | O_CLOEXEC));
  }
}

inline std::vector<Packet> read_packets(ByteView input) {
  constexpr size_t kMaxPackets = 32, kMaxFiles = 4;
  ByteReader reader(input);
  std::vector<Packet> packets;
  while (!reader.bad() && !reader.at_end() && packets.size() < kMaxPackets) {
    Packet packet;
    packet.is_response = (reader.get<uint8_t>() & 1) != 0;
    const size_t files = reader.get<uint8_t>() % (kMaxFiles + 1);
    const ByteView bytes = reader.bytes(reader.get<uint16_t>());
    packet.bytes.assign(bytes.begin(), bytes.end());
    for (size_t i = 0; i < files; ++i) packet.fds.push_back(make_file(reader));
    if (!packet.bytes.empty()) packets.push_back(std::move(packet));
  }
  return packets;
}

inline bool send(const host::Socket& socket, const Packet& packet) {
  std::vector<int> fds;
  for (const host::Fd& fd : packet.fds) {
    if (fd) fds.push_back(fd.get());
  }
  const ByteView part = packet.bytes;
  return socket.send({&part, 1}, fds, Clock::now()).ok();
}

}  // namespace nnrt::fuzz
