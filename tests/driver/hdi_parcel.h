// The interface's values in packets, with descriptors beside the bytes, as OpenHarmony's IPC passes them:
// each descriptor becomes a duplicate, which lives as long as the received parcel.
#pragma once

#include "backends/host/transport/host_socket.h"
#include "core/base/byte_io.h"

#include <neural_network_runtime/hdi/v2_0/iprepared_model.h>
#include <neural_network_runtime/hdi/v2_0/model_types.h>

#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace nnrt::test {

namespace hdi = ::nnrt::hdi::V2_0;

template <typename T, typename U>
concept Same = std::is_same_v<std::remove_const_t<T>, U>;

// Calls visit with the members that are sent.
void visit_members(Same<hdi::QuantParam> auto& value, auto& visit) {
  visit(value.numBits, value.zeroPoint, value.scale);
}
void visit_members(Same<hdi::Tensor> auto& value, auto& visit) {
  visit(value.name, value.dataType, value.dims, value.format, value.data, value.quantParams);
}
void visit_members(Same<hdi::IOTensor> auto& value, auto& visit) {
  visit(value.name, value.dataType, value.dimensions, value.format, value.data);
}
void visit_members(Same<hdi::Node> auto& value, auto& visit) {
  visit(value.name, value.nodeType, value.nodeAttr, value.inputIndex, value.outputIndex, value.quantType);
}
void visit_members(Same<hdi::SubGraph> auto& value, auto& visit) {
  visit(value.name, value.inputIndices, value.outputIndices, value.nodeIndices);
}
void visit_members(Same<hdi::Model> auto& value, auto& visit) {
  visit(value.name, value.inputIndex, value.outputIndex, value.nodes, value.allTensors, value.subGraph);
}

class ParcelWriter {
 public:
  template <typename... T>
  void operator()(const T&... values) {
    (put(values), ...);
  }
  Status send(const host::Socket& socket) {
    const Bytes bytes = writer_.take();
    const ByteView parts[] = {bytes};
    return socket.send(parts, fds_);
  }

 private:
  template <typename T>
  void put(const T& value) {
    if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      writer_.put(value);
    } else if constexpr (std::is_same_v<T, hdi::SharedBuffer>) {
      (*this)(uint8_t{value.fd >= 0}, value.bufferSize, value.offset, value.dataSize);
      if (value.fd >= 0) fds_.push_back(value.fd);
    } else if constexpr (requires { value.size(); }) {
      put(uint64_t{value.size()});
      for (const auto& element : value) put(element);
    } else {
      visit_members(value, *this);
    }
  }

  ByteWriter writer_;
  std::vector<int> fds_;
};

class ParcelReader {
 public:
  // connection: the other end is gone.
  static Result<ParcelReader> receive(const host::Socket& socket) {
    Bytes bytes(host::kMaxPacketBytes);
    NNRT_ASSIGN(host::Socket::Packet packet, socket.receive(bytes));
    bytes.resize(packet.bytes.size());
    return ParcelReader(std::move(bytes), std::move(packet.fds));
  }

  template <typename... T>
  void operator()(T&... values) {
    (get(values), ...);
  }
  template <typename T>
  T take() {
    T value{};
    get(value);
    return value;
  }
  // All descriptors, for longer than the parcel.
  std::vector<host::Fd> take_fds() { return std::move(fds_); }

 private:
  ParcelReader(Bytes bytes, std::vector<host::Fd> fds)
      : bytes_(std::make_unique<Bytes>(std::move(bytes))), reader_(*bytes_), fds_(std::move(fds)) {}

  template <typename T>
  void get(T& value) {
    if constexpr (std::is_enum_v<T>) {
      value = static_cast<T>(reader_.get<std::underlying_type_t<T>>());
    } else if constexpr (std::is_arithmetic_v<T>) {
      value = reader_.get<T>();
    } else if constexpr (std::is_same_v<T, hdi::SharedBuffer>) {
      const auto has_fd = take<uint8_t>();
      (*this)(value.bufferSize, value.offset, value.dataSize);
      if (has_fd != 0 && next_ < fds_.size()) value.fd = fds_[next_++].get();
    } else if constexpr (requires { value.resize(0); }) {
      value.resize(reader_.count(1));
      for (auto& element : value) get(element);
    } else {
      visit_members(value, *this);
    }
  }

  std::unique_ptr<Bytes> bytes_;
  ByteReader reader_;
  std::vector<host::Fd> fds_;
  size_t next_ = 0;
};

}  // namespace nnrt::test
