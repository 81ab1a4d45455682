// Building blocks of the messages in an ONNX file. Files are in protobuf's wire format, but the reader links
// no protobuf: a framework that loads it may have another version of that library in the process.
#pragma once

#include "core/writer/list.h"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nnrt::onnx_file {

inline constexpr uint32_t kLastField = 25;

// A field's number in the wire format; 0 if it is in no file.
template <uint32_t number>
requires(number <= kLastField) struct FieldNumber {
};

// `M` has a function `field(self, FieldNumber<...>)` for each of its fields. Unknown fields are kept and
// written back.
template <typename M>
class Message {
 public:
  // Replaces the contents. Returns false if the bytes are damaged or nested too deeply.
  bool parse(std::string_view bytes);
  std::string serialize() const;
  size_t byte_size() const;

  std::string unknown_fields;
};

// A list of messages, whose addresses stay valid while others are added.
template <typename T>
class Messages {
  template <typename Value, typename Position>
  class Iterator {
   public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = Value*;
    using reference = Value&;

    Iterator() = default;
    explicit Iterator(Position position) : position_(position) {}
    reference operator*() const { return **position_; }
    pointer operator->() const { return position_->get(); }
    reference operator[](difference_type i) const { return *position_[i]; }
    Iterator& operator++() { return ++position_, *this; }
    Iterator& operator--() { return --position_, *this; }
    Iterator operator++(int) { return Iterator(position_++); }
    Iterator operator--(int) { return Iterator(position_--); }
    Iterator& operator+=(difference_type n) { return position_ += n, *this; }
    Iterator& operator-=(difference_type n) { return position_ -= n, *this; }
    friend Iterator operator+(Iterator it, difference_type n) { return it += n; }
    friend Iterator operator+(difference_type n, Iterator it) { return it += n; }
    friend Iterator operator-(Iterator it, difference_type n) { return it -= n; }
    friend difference_type operator-(Iterator a, Iterator b) { return a.position_ - b.position_; }
    bool operator==(const Iterator&) const = default;
    auto operator<=>(const Iterator&) const = default;

    Position position() const { return position_; }

   private:
    Position position_{};
  };
  using Items = List<std::unique_ptr<T>>;

 public:
  using value_type = T;
  using iterator = Iterator<T, typename Items::iterator>;
  using const_iterator = Iterator<const T, typename Items::const_iterator>;

  Messages() = default;
  Messages(const Messages& other) {
    items_.reserve(other.items_.size());
    for (const T& item : other) add(item);
  }
  Messages(Messages&&) noexcept = default;
  Messages& operator=(Messages other) noexcept { return items_.swap(other.items_), *this; }
  ~Messages() = default;

  iterator begin() { return iterator(items_.begin()); }
  iterator end() { return iterator(items_.end()); }
  const_iterator begin() const { return const_iterator(items_.begin()); }
  const_iterator end() const { return const_iterator(items_.end()); }
  int size() const { return static_cast<int>(items_.size()); }
  bool empty() const { return items_.empty(); }
  T& operator[](int i) { return *items_[static_cast<size_t>(i)]; }
  const T& operator[](int i) const { return *items_[static_cast<size_t>(i)]; }

  T& add(T item = T()) { return *items_.emplace_back(std::make_unique<T>(std::move(item))); }
  void erase(iterator first, iterator last) { items_.erase(first.position(), last.position()); }
  void clear() { items_.clear(); }
  void swap(Messages& other) noexcept { items_.swap(other.items_); }

 private:
  Items items_;
};

// An optional message.
template <typename T>
class Child {
 public:
  Child() = default;
  Child(const Child& other) : value_(other.value_ ? std::make_unique<T>(*other.value_) : nullptr) {}
  Child(Child&&) noexcept = default;
  Child& operator=(Child other) noexcept { return value_.swap(other.value_), *this; }
  ~Child() = default;

  explicit operator bool() const { return value_ != nullptr; }
  const T& get() const {
    static const T none;
    return value_ ? *value_ : none;
  }
  T& made() {
    if (!value_) value_ = std::make_unique<T>();
    return *value_;
  }
  void reset() { value_.reset(); }

 private:
  std::unique_ptr<T> value_;
};

// Numbers that are written as one field.
template <typename T>
class Packed : public List<T> {};

inline const std::string& text_of(const std::optional<std::string>& text) {
  static const std::string none;
  return text ? *text : none;
}

}  // namespace nnrt::onnx_file

// Fields of a message.
#define NNRT_ONNX_FIELD(number, type, name)                                    \
 public:                                                                       \
  static auto& field(auto& self, FieldNumber<number>) { return self.name##_; } \
                                                                               \
 private:                                                                      \
  type name##_

// An optional number:
#define NNRT_ONNX_NUMBER(number, type, name)              \
 public:                                                  \
  bool has_##name() const { return name##_.has_value(); } \
  type name() const { return name##_.value_or(type()); }  \
  void set_##name(type value) { name##_ = value; }        \
  void clear_##name() { name##_.reset(); }                \
                                                          \
  NNRT_ONNX_FIELD(number, std::optional<type>, name)

// Optional text or bytes:
#define NNRT_ONNX_TEXT(number, name)                                                 \
 public:                                                                             \
  bool has_##name() const { return name##_.has_value(); }                            \
  const std::string& name() const { return text_of(name##_); }                       \
  void set_##name(std::string value) { name##_ = std::move(value); }                 \
  void set_##name(const void* bytes, size_t size) {                                  \
    name##_.emplace(static_cast<const char*>(bytes), size);                          \
  }                                                                                  \
  std::string* mutable_##name() { return name##_ ? &*name##_ : &name##_.emplace(); } \
  void clear_##name() { name##_.reset(); }                                           \
                                                                                     \
  NNRT_ONNX_FIELD(number, std::optional<std::string>, name)

// An optional message:
#define NNRT_ONNX_CHILD(number, type, name)                      \
 public:                                                         \
  bool has_##name() const { return static_cast<bool>(name##_); } \
  const type& name() const { return name##_.get(); }             \
  type* mutable_##name() { return &name##_.made(); }             \
  void clear_##name() { name##_.reset(); }                       \
                                                                 \
  NNRT_ONNX_FIELD(number, Child<type>, name)

// Lists of numbers or texts, and of messages:
#define NNRT_ONNX_LIST_AS(list, number, type, name)                                          \
 public:                                                                                     \
  const std::vector<type>& name() const { return name##_; }                                  \
  const type& name(int i) const { return name##_[static_cast<size_t>(i)]; }                  \
  int name##_size() const { return static_cast<int>(name##_.size()); }                       \
  std::vector<type>* mutable_##name() { return &name##_; }                                   \
  type* mutable_##name(int i) { return &name##_[static_cast<size_t>(i)]; }                   \
  void set_##name(int i, type value) { name##_[static_cast<size_t>(i)] = std::move(value); } \
  void add_##name(type value) { name##_.push_back(std::move(value)); }                       \
  void clear_##name() { name##_.clear(); }                                                   \
                                                                                             \
  NNRT_ONNX_FIELD(number, list, name)

#define NNRT_ONNX_LIST(number, type, name) NNRT_ONNX_LIST_AS(List<type>, number, type, name)
#define NNRT_ONNX_PACKED(number, type, name) NNRT_ONNX_LIST_AS(Packed<type>, number, type, name)

#define NNRT_ONNX_MESSAGES(number, type, name)           \
 public:                                                 \
  const Messages<type>& name() const { return name##_; } \
  const type& name(int i) const { return name##_[i]; }   \
  int name##_size() const { return name##_.size(); }     \
  Messages<type>* mutable_##name() { return &name##_; }  \
  type* mutable_##name(int i) { return &name##_[i]; }    \
  type* add_##name() { return &name##_.add(); }          \
  void clear_##name() { name##_.clear(); }               \
                                                         \
  NNRT_ONNX_FIELD(number, Messages<type>, name)
