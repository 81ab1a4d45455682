// Lists of what a file says: shapes, operands, attributes, constants. Reading past the end of one ends the
// conversion of the operator, so converters need no check before each index.
#pragma once

#include "core/base/result.h"

#include <exception>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace nnrt {

// Ends a conversion, from any depth. converting() turns it back into an error.
class ConversionError final : public std::exception {
 public:
  explicit ConversionError(Error error) : error_(std::move(error)) {}
  const Error& error() const { return error_; }
  const char* what() const noexcept override { return error_.message.c_str(); }

 private:
  Error error_;
};

template <typename T>
struct ResultOf {
  using type = Result<T>;
};
template <typename T>
struct ResultOf<Result<T>> {
  using type = Result<T>;
};

// Calls `body`, which may throw a ConversionError. Returns its result, or the error.
template <typename Body>
auto converting(const Body& body) -> typename ResultOf<decltype(body())>::type {
  try {
    if constexpr (std::is_void_v<decltype(body())>) {
      body();
      return {};
    } else {
      return body();
    }
  } catch (const ConversionError& caught) {
    return caught.error();
  }
}

[[noreturn, gnu::cold]] inline void fail(Error error) { throw ConversionError(std::move(error)); }

// The value, or the error as a ConversionError.
template <typename T>
T required(Result<T> result) {
  if (!result.ok()) fail(std::move(result).error());
  return std::move(result).value();
}
inline void required(Status status) {
  if (!status.ok()) fail(std::move(status).error());
}

enum class Listed : uint8_t { values, dimensions };

[[noreturn, gnu::cold]] inline void fail_index(Listed what, const std::string& shape, size_t index,
                                               size_t size) {
  const std::string has = what == Listed::values ? "A list has " + std::to_string(size) + " elements"
                                                 : "Shape " + shape + " has rank " + std::to_string(size);
  // Wrapped around: an index below 0.
  const std::string wanted =
      index > SIZE_MAX / 2 ? "no element before its first" : "not " + std::to_string(index + 1) + " or more";
  throw ConversionError({Code::invalid_file, has + ", " + wanted + "."});
}

// A vector whose indices are checked.
template <typename T, Listed what = Listed::values>
class List : public std::vector<T> {
  using Base = std::vector<T>;

 public:
  using Base::Base;
  List(Base values) : Base(std::move(values)) {}

  typename Base::reference operator[](size_t i) { return Base::operator[](checked(i)); }
  typename Base::const_reference operator[](size_t i) const { return Base::operator[](checked(i)); }
  typename Base::reference at(size_t i) { return (*this)[i]; }
  typename Base::const_reference at(size_t i) const { return (*this)[i]; }
  typename Base::reference front() { return (*this)[0]; }
  typename Base::const_reference front() const { return (*this)[0]; }
  typename Base::reference back() { return (*this)[this->size() - 1]; }
  typename Base::const_reference back() const { return (*this)[this->size() - 1]; }
  void pop_back() { checked(0), Base::pop_back(); }

  // The elements before `end`, and those from `begin` on.
  List before(size_t end) const { return List(this->begin(), position(end)); }
  List from(size_t begin) const { return List(position(begin), this->end()); }
  void insert_at(size_t i, T value) { this->insert(position(i), std::move(value)); }
  void erase_at(size_t i) { this->erase(position(checked(i))); }

 private:
  size_t checked(size_t i) const {
    if (i >= this->size()) fail_index(what, shape(), i, this->size());
    return i;
  }
  typename Base::const_iterator position(size_t i) const {
    if (i > this->size()) fail_index(what, shape(), i - 1, this->size());
    return this->begin() + static_cast<typename Base::difference_type>(i);
  }
  std::string shape() const {
    std::string text;
    if constexpr (what == Listed::dimensions)
      for (const T& length : *this) text += (text.empty() ? "[" : ", ") + std::to_string(length);
    return text.empty() ? "[]" : text + "]";
  }
};

// A shape as a file gives it.
using Dims = List<int64_t, Listed::dimensions>;

}  // namespace nnrt
