// Element types of tensors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace nnrt {

// Values as in OH_NN_DataType.
enum class DType : uint8_t { unknown, boolean, i8, i16, i32, i64, u8, u16, u32, u64, f16, f32, f64 };
inline constexpr int kDTypeCount = 13;

constexpr size_t size_of(DType dtype) {
  constexpr uint8_t kSizes[kDTypeCount] = {0, 1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 4, 8};
  return kSizes[static_cast<size_t>(dtype)];
}

// As in the specification, without prefix: "FLOAT32".
std::string_view name(DType dtype);

class DTypeSet {
 public:
  constexpr DTypeSet() = default;
  constexpr DTypeSet(DType dtype) : bits_(uint16_t(1u << unsigned(dtype))) {}
  constexpr DTypeSet(std::initializer_list<DType> dtypes) {
    for (const DType dtype : dtypes) bits_ = uint16_t(bits_ | 1u << unsigned(dtype));
  }

  constexpr bool contains(DType dtype) const { return (bits_ >> unsigned(dtype) & 1u) != 0; }
  constexpr bool operator==(const DTypeSet&) const = default;
  friend constexpr DTypeSet operator|(DTypeSet a, DTypeSet b) {
    a.bits_ = uint16_t(a.bits_ | b.bits_);
    return a;
  }

 private:
  uint16_t bits_ = 0;
};

// "FLOAT16, FLOAT32".
std::string to_string(DTypeSet dtypes);

// The type sets of R1.
inline constexpr DTypeSet kFloat{DType::f16, DType::f32};
inline constexpr DTypeSet kIndex{DType::i32, DType::i64};
inline constexpr DTypeSet kInteger = kIndex | DTypeSet{DType::i8, DType::u8, DType::i16};
inline constexpr DTypeSet kNum = kFloat | DTypeSet{DType::i8, DType::u8, DType::i32, DType::i64};
inline constexpr DTypeSet kReal = kNum | DTypeSet{DType::i16, DType::f64};
inline constexpr DTypeSet kAny = kReal | DTypeSet{DType::boolean, DType::u16, DType::u32, DType::u64};

constexpr bool is_float(DType dtype) {
  return dtype == DType::f16 || dtype == DType::f32 || dtype == DType::f64;
}

}  // namespace nnrt
