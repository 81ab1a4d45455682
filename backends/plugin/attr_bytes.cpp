#include "backends/plugin/attr_bytes.h"

#include "backends/plugin/attr_members.h"
#include "core/base/byte_io.h"
#include "core/base/text.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace nnrt::plugin {
namespace {

namespace hdi = ::nnrt::hdi::V2_0;

// OpenHarmony's structures are aligned to 8 bytes.
constexpr size_t kStructAlignment = 8;

template <typename Struct>
bool read_memory(Struct& to, ByteView bytes) {
  constexpr size_t kPadded = round_up(sizeof(Struct), kStructAlignment);
  if constexpr (!std::is_empty_v<Struct>) {
    if (bytes.size() < sizeof(Struct) || bytes.size() > kPadded) return false;
    visit_members(to, [&]<typename T>(T& member) {
      const auto offset = reinterpret_cast<const std::byte*>(&member) - reinterpret_cast<std::byte*>(&to);
      if constexpr (std::is_same_v<T, bool>) {  // any byte
        member = bytes[size_t(offset)] != std::byte{0};
      } else {
        std::memcpy(&member, &bytes[size_t(offset)], sizeof member);
      }
    });
    return true;
  }
  return bytes.size() <= kPadded;
}

class MemberReader {
 public:
  MemberReader(ByteView bytes, size_t enum_bytes) : reader_(bytes), enum_bytes_(enum_bytes) {}

  bool is_complete() const { return !reader_.bad() && reader_.at_end(); }

  template <typename T>
  void operator()(T& to) {
    if constexpr (std::is_same_v<T, bool>) {
      to = reader_.get<int32_t>() != 0;
    } else if constexpr (std::is_enum_v<T>) {
      const int64_t value = enum_bytes_ == 8 ? reader_.get<int64_t>() : reader_.get<int32_t>();
      to = static_cast<T>(value);
      if (to != value) reader_.fail("An enumerator is out of range.");
    } else {
      to = reader_.get<T>();
    }
  }
  void operator()(std::string& to) {
    for (char c = 0; (c = reader_.get<char>()) != 0;) to.push_back(c);
    reader_.align(4);
  }
  template <typename T>
  void operator()(std::vector<T>& to) {
    to.clear();
    for (auto left = reader_.get<uint32_t>(); left > 0 && !reader_.bad(); --left) (*this)(to.emplace_back());
  }

 private:
  ByteReader reader_;
  const size_t enum_bytes_;
};

template <typename Struct>
bool read_members(Struct& to, ByteView bytes, bool has_round_mode) {
  for (const size_t enum_bytes : {8, 4}) {
    MemberReader reader(bytes, enum_bytes);
    Struct made;
    visit_members(made, [&]<typename T>(T& member) {
      if (has_round_mode || !std::is_same_v<T, hdi::RoundMode>) reader(member);
    });
    if (!reader.is_complete()) continue;
    to = std::move(made);
    return true;
  }
  return false;
}

template <typename Struct>
bool read(Struct& to, ByteView bytes) {
  if constexpr (std::is_trivially_copyable_v<Struct>) {
    return read_memory(to, bytes);
  } else {
    return read_members(to, bytes, true) ||
           // In V1_0, this structure has no round mode.
           (std::is_same_v<Struct, hdi::AvgPoolFusion> && read_members(to, bytes, false));
  }
}

}  // namespace

Result<hdi::NodeAttr> read_attr(const hdi::NodeAttr& like, ByteView bytes) {
  hdi::NodeAttr attr = like;
  if (std::visit([&](auto& to) { return read(to, bytes); }, attr)) return attr;
  return invalid("Attributes of ", bytes.size(), " bytes are not those of its type.");
}

}  // namespace nnrt::plugin
