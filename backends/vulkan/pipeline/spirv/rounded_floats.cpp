#include "backends/vulkan/pipeline/spirv/rounded_floats.h"

#include "backends/vulkan/pipeline/spirv/float_arrays.h"

#include <spirv/unified1/spirv.h>

#include <array>
#include <map>
#include <set>

namespace nnrt::vulkan {
namespace {

using spirv::FloatArrays;
using spirv::Instruction;

// The types float, uint and bool, or vec4 of them, and the rounding function for that width.
struct Width {
  uint32_t real = 0, bits = 0, truth = 0;
  uint32_t function_type = 0, function = 0;
  std::map<uint32_t, uint32_t> floats = {}, integers = {};  // constants by bit pattern
};

// Masks for float bits: magnitude, sign, the low bits that fp16 lacks, half of these less one, and the kept
// bits.
enum : uint32_t { kMagnitude = 0x7fffffff, kSign = 0x80000000, kLostBits = 13, kHalfLost = 0xfff };
enum : uint32_t { kKept = 0xffffe000, kOdd = 1 };
// The smallest normal fp16, the smallest value that rounds to infinity, infinity, and NaN.
enum : uint32_t { kNormal = 0x38800000, kTooLarge = 0x477ff000, kInfinity = 0x7f800000, kNan = 0x7fc00000 };
// 0.5, whose ulp is the fp16 subnormal step, and that step.
enum : uint32_t { kShift = 0x3f000000, kStep = 0x33800000 };
constexpr std::array kIntegers{uint32_t(kMagnitude), uint32_t(kSign),     uint32_t(kLostBits),
                               uint32_t(kHalfLost),  uint32_t(kKept),     uint32_t(kOdd),
                               uint32_t(kNormal),    uint32_t(kTooLarge), uint32_t(kInfinity),
                               uint32_t(kNan),       uint32_t(kShift)};
constexpr std::array kFloats{uint32_t(kShift), uint32_t(kStep)};

class Rewriter {
 public:
  Rewriter(std::span<const uint32_t> words, const FloatArrays& module, uint32_t bindings)
      : module_(module), next_(words[spirv::kBoundWord]) {
    spirv::for_each_instruction(words, [&](const Instruction& i) { find_types(i); });
    for (const auto& [variable, array] : module.by_variable) {
      if ((bindings >> array.binding & 1) != 0) variables_.insert(variable);
    }
    one_.real = module.float_id;
    four_.real = module.vec4_id;
    for (Width* const width : widths()) {
      for (uint32_t* const id : {&width->bits, &width->truth, &width->function_type})
        if (*id == 0) *id = next_++;
      width->function = next_++;
    }
    spirv::for_each_instruction(words, [&](const Instruction& i) { write(i); });
    for (const Width* const width : widths()) write_function(*width);
  }

  std::vector<uint32_t> take(std::span<const uint32_t> words) {
    std::vector<uint32_t> all(words.begin(), words.begin() + spirv::kHeaderWords);
    all[spirv::kBoundWord] = next_;
    spirv::append(all, rest_);
    return all;
  }

 private:
  std::vector<Width*> widths() {
    if (four_.real == 0) return {&one_};
    return {&one_, &four_};
  }

  // Reuses types, which must not be declared twice.
  void find_types(const Instruction& i) {
    if (i.opcode == SpvOpTypeInt && i[2] == 32 && i[3] == 0) one_.bits = i[1];
    if (i.opcode == SpvOpTypeBool) one_.truth = i[1];
    if (i.opcode == SpvOpTypeVector && i[3] == 4 && i[2] == one_.bits) four_.bits = i[1];
    if (i.opcode == SpvOpTypeVector && i[3] == 4 && i[2] == one_.truth) four_.truth = i[1];
    if (i.opcode != SpvOpTypeFunction || i.words.size() != 4 || i[2] != i[3]) return;
    if (i[2] == module_.float_id) one_.function_type = i[1];
    if (i[2] == module_.vec4_id) four_.function_type = i[1];
  }

  void write(const Instruction& i) {
    const bool is_type = i.opcode >= SpvOpTypeVoid && i.opcode <= SpvOpTypeForwardPointer;
    if (is_type && written_.empty()) write_types();
    if (is_type && written_.contains(i[1])) return;
    if (spirv::is_chain(i.opcode) && variables_.contains(i[3]))
      places_[i[2]] = module_.by_variable.at(i[3]).is_vec4(i) ? &four_ : &one_;
    if (i.opcode == SpvOpLoad && places_.contains(i[3])) return write_load(i);
    if (i.opcode == SpvOpStore && places_.contains(i[1])) return write_store(i);
    spirv::append(rest_, i.words);
  }

  // First, because they depend on no other type.
  void write_types() {
    spirv::append(rest_, SpvOpTypeFloat, {one_.real, 32});
    spirv::append(rest_, SpvOpTypeInt, {one_.bits, 32, 0});
    spirv::append(rest_, SpvOpTypeBool, {one_.truth});
    written_.insert({one_.real, one_.bits, one_.truth});
    if (four_.real != 0) {
      for (const auto& [vector, scalar] : {std::pair{four_.real, one_.real}, std::pair{four_.bits, one_.bits},
                                           std::pair{four_.truth, one_.truth}}) {
        spirv::append(rest_, SpvOpTypeVector, {vector, scalar, 4});
        written_.insert(vector);
      }
    }
    for (Width* const width : widths()) {
      spirv::append(rest_, SpvOpTypeFunction, {width->function_type, width->real, width->real});
      written_.insert(width->function_type);
      for (const uint32_t bits : kIntegers)
        width->integers[bits] = constant(width->bits, bits, width == &four_ ? one_.integers[bits] : 0);
      for (const uint32_t bits : kFloats)
        width->floats[bits] = constant(width->real, bits, width == &four_ ? one_.floats[bits] : 0);
    }
  }
  // Declares a constant, or a vec4 of `component` if that is not 0.
  uint32_t constant(uint32_t type, uint32_t bits, uint32_t component) {
    const uint32_t id = next_++;
    if (component == 0) spirv::append(rest_, SpvOpConstant, {type, id, bits});
    if (component != 0)
      spirv::append(rest_, SpvOpConstantComposite, {type, id, component, component, component, component});
    return id;
  }

  void write_load(const Instruction& i) {
    std::vector<uint32_t> load(i.words.begin(), i.words.end());
    load[2] = next_++;
    spirv::append(rest_, load);
    const Width& width = *places_.at(i[3]);
    spirv::append(rest_, SpvOpFunctionCall, {width.real, i[2], width.function, load[2]});
  }
  void write_store(const Instruction& i) {
    std::vector<uint32_t> store(i.words.begin(), i.words.end());
    store[2] = next_++;
    const Width& width = *places_.at(i[1]);
    spirv::append(rest_, SpvOpFunctionCall, {width.real, store[2], width.function, i[2]});
    spirv::append(rest_, store);
  }

  uint32_t add(uint32_t opcode, uint32_t type, uint32_t a) {
    spirv::append(rest_, opcode, {type, next_, a});
    return next_++;
  }
  uint32_t add(uint32_t opcode, uint32_t type, uint32_t a, uint32_t b) {
    spirv::append(rest_, opcode, {type, next_, a, b});
    return next_++;
  }
  uint32_t select(const Width& width, uint32_t condition, uint32_t a, uint32_t b) {
    spirv::append(rest_, SpvOpSelect, {width.bits, next_, condition, a, b});
    return next_++;
  }

  // Same rounding as fp16_bits() of words.glsl, converted back to float.
  void write_function(const Width& of) {
    const auto number = [&](uint32_t bits) { return of.integers.at(bits); };
    const uint32_t x = next_++;
    spirv::append(rest_, SpvOpFunction, {of.real, of.function, SpvFunctionControlMaskNone, of.function_type});
    spirv::append(rest_, SpvOpFunctionParameter, {of.real, x});
    spirv::append(rest_, SpvOpLabel, {next_++});
    const uint32_t bits = add(SpvOpBitcast, of.bits, x);
    const uint32_t sign = add(SpvOpBitwiseAnd, of.bits, bits, number(kSign));
    const uint32_t a = add(SpvOpBitwiseAnd, of.bits, bits, number(kMagnitude));
    // Rounds half to even.
    const uint32_t last = add(SpvOpShiftRightLogical, of.bits, a, number(kLostBits));
    const uint32_t odd = add(SpvOpBitwiseAnd, of.bits, last, number(kOdd));
    const uint32_t up = add(SpvOpIAdd, of.bits, add(SpvOpIAdd, of.bits, a, number(kHalfLost)), odd);
    const uint32_t normal = add(SpvOpBitwiseAnd, of.bits, up, number(kKept));
    // Subnormals: adding 0.5 rounds them to multiples of the step.
    const uint32_t magnitude = add(SpvOpBitcast, of.real, a);
    const uint32_t shifted = add(SpvOpFAdd, of.real, magnitude, of.floats.at(kShift));
    const uint32_t shifted_bits = add(SpvOpBitcast, of.bits, shifted);
    const uint32_t steps = add(SpvOpISub, of.bits, shifted_bits, number(kShift));
    const uint32_t real_steps = add(SpvOpConvertUToF, of.real, steps);
    const uint32_t small = add(SpvOpFMul, of.real, real_steps, of.floats.at(kStep));
    const uint32_t small_bits = add(SpvOpBitcast, of.bits, small);
    const uint32_t is_small = add(SpvOpULessThan, of.truth, a, number(kNormal));
    const uint32_t is_large = add(SpvOpUGreaterThanEqual, of.truth, a, number(kTooLarge));
    const uint32_t is_nan = add(SpvOpUGreaterThan, of.truth, a, number(kInfinity));
    const uint32_t finite = select(of, is_small, small_bits, normal);
    const uint32_t real = select(of, is_large, number(kInfinity), finite);
    const uint32_t rounded = select(of, is_nan, number(kNan), real);
    const uint32_t result = add(SpvOpBitcast, of.real, add(SpvOpBitwiseOr, of.bits, sign, rounded));
    spirv::append(rest_, SpvOpReturnValue, {result});
    spirv::append(rest_, SpvOpFunctionEnd, {});
  }

  const FloatArrays& module_;
  uint32_t next_ = 0;  // next free id
  Width one_, four_;
  std::set<uint32_t> variables_, written_;   // arrays; types already declared
  std::map<uint32_t, const Width*> places_;  // by pointer into an array
  std::vector<uint32_t> rest_;
};

}  // namespace

std::optional<std::vector<uint32_t>> with_rounded_floats(std::span<const uint32_t> words, uint32_t bindings) {
  const FloatArrays module = spirv::float_arrays(words);
  if ((bindings & ~module.bindings()) != 0) return std::nullopt;
  return Rewriter(words, module, bindings).take(words);
}

}  // namespace nnrt::vulkan
