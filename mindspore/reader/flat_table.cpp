#include "mindspore/reader/flat_table.h"

#include "core/base/text.h"

namespace nnrt::mindspore {
namespace {

constexpr size_t kOffset = sizeof(uint32_t);

}  // namespace

FlatBuffer::FlatBuffer(ByteView file)
    : begin_(reinterpret_cast<uintptr_t>(file.data())),
      end_(begin_ + file.size()),
      left_((size_t{1} << 20) + 16 * file.size()) {}

bool FlatBuffer::contains(uintptr_t address, size_t bytes) const {
  if (memory_ != nullptr) address = untagged(address);
  return address >= begin_ && address <= end_ && bytes <= end_ - address &&
         (memory_ == nullptr || memory_->contains(address, bytes));
}

bool FlatBuffer::spend(size_t bytes) const {
  if (has_known_size() && bytes > left_) {
    damaged_ = true;
    return false;
  }
  left_ -= bytes;
  return true;
}

Status FlatBuffer::status() const {
  if (!damaged_) return {};
  constexpr std::string_view kDamage = " is damaged: an offset or a length is out of range.";
  return has_known_size() ? Error{Code::invalid_file, cat("The file", kDamage)}
                          : Error{Code::invalid_parameter, cat("A table of the graph", kDamage)};
}

// Offsets are at most 2 GiB.
uintptr_t FlatTable::target(const FlatBuffer& buffer, uintptr_t place) {
  if (!buffer.contains(place, kOffset)) return buffer.set_damaged(), 0;
  const auto offset = load<uint32_t>(place);
  if (offset == 0 || offset > uint32_t(INT32_MAX) || !buffer.contains(place + offset, kOffset))
    return buffer.set_damaged(), 0;
  return place + offset;
}

FlatTable FlatTable::checked(const FlatBuffer& buffer, uintptr_t table) {
  const auto fail = [&] { return buffer.set_damaged(), FlatTable(); };
  const bool is_aligned = buffer.has_known_size() || table % alignof(uint32_t) == 0;
  if (!is_aligned || !buffer.contains(table, sizeof(int32_t))) return fail();
  FlatTable made;
  made.buffer_ = &buffer;
  made.table_ = table;
  made.vtable_ = table - uintptr_t(intptr_t{load<int32_t>(table)});
  constexpr size_t kHeader = 2 * sizeof(uint16_t);
  if (made.vtable_ == table || !buffer.contains(made.vtable_, kHeader)) return fail();
  made.vtable_bytes_ = load<uint16_t>(made.vtable_);
  made.table_bytes_ = load<uint16_t>(made.vtable_ + sizeof(uint16_t));
  if (made.vtable_bytes_ < kHeader || made.vtable_bytes_ % sizeof(uint16_t) != 0 ||
      made.table_bytes_ < sizeof(int32_t) || !buffer.contains(made.vtable_, made.vtable_bytes_) ||
      !buffer.contains(table, made.table_bytes_))
    return fail();
  return made;
}

FlatTable FlatTable::root(const FlatBuffer& buffer, ByteView file) {
  const uintptr_t table = target(buffer, reinterpret_cast<uintptr_t>(file.data()));
  return table == 0 ? FlatTable() : checked(buffer, table);
}

FlatTable FlatTable::at(const FlatBuffer& buffer, const void* table) {
  if (table == nullptr) return buffer.set_damaged(), FlatTable();
  return checked(buffer, reinterpret_cast<uintptr_t>(table));
}

uintptr_t FlatTable::field(size_t id, size_t bytes) const {
  if (buffer_ == nullptr) return 0;
  const size_t entry = (id + 2) * sizeof(uint16_t);
  if (entry + sizeof(uint16_t) > vtable_bytes_) return 0;
  const auto offset = load<uint16_t>(vtable_ + entry);
  if (offset == 0) return 0;
  if (offset < sizeof(int32_t) || offset + bytes > table_bytes_) return buffer_->set_damaged(), 0;
  return table_ + offset;
}

FlatTable::Elements FlatTable::vector(size_t id, size_t element_bytes) const {
  const uintptr_t place = field(id, kOffset);
  const uintptr_t start = place == 0 ? 0 : target(*buffer_, place);
  if (start == 0) return {};
  const size_t count = load<uint32_t>(start);
  const uintptr_t first = start + kOffset;
  if (count > size_t(INT32_MAX) || !buffer_->contains(first, count * element_bytes))
    return buffer_->set_damaged(), Elements();
  return {first, count};
}

bool FlatTable::is_plausible(size_t count) const {
  constexpr size_t kMaxCount = size_t{1} << 16;
  if (buffer_->has_known_size() || count <= kMaxCount) return true;
  buffer_->set_damaged();
  return false;
}

std::string_view FlatTable::text(size_t id) const {
  const Elements elements = vector(id, 1);
  if (elements.count > 0 && !is_plausible(elements.count)) return {};
  return {reinterpret_cast<const char*>(elements.first), elements.count};
}

ByteView FlatTable::bytes(size_t id) const {
  const Elements elements = vector(id, 1);
  return {reinterpret_cast<const std::byte*>(elements.first), elements.count};
}

FlatTable FlatTable::table(size_t id) const {
  const uintptr_t place = field(id, kOffset);
  const uintptr_t table = place == 0 ? 0 : target(*buffer_, place);
  return table == 0 ? FlatTable() : checked(*buffer_, table);
}

FlatTables FlatTable::tables(size_t id) const {
  const Elements elements = vector(id, kOffset);
  constexpr size_t kCost = 64;  // of what a reader keeps for each table
  if (elements.count == 0 || !is_plausible(elements.count) || !buffer_->spend(elements.count * kCost))
    return {};
  return FlatTables(*buffer_, elements.first, elements.count);
}

FlatTable FlatTables::operator[](size_t i) const {
  const uintptr_t table = FlatTable::target(*buffer_, first_ + i * kOffset);
  return table == 0 ? FlatTable() : FlatTable::checked(*buffer_, table);
}

}  // namespace nnrt::mindspore
