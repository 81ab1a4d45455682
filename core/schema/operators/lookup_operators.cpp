// Table lookup, hashing and random sampling.
#include "core/schema/rules.h"

namespace nnrt {
namespace {

constexpr int64_t kLargest = std::numeric_limits<int32_t>::max();

Result<Shapes> hashtable_lookup_shape(const NodeView& node) {
  NNRT_TRY(require_vector(node, 0, kUnknown, "any number"));
  if (node.shape(2).empty()) return invalid("The values are a scalar.");
  NNRT_TRY(require_vector(node, 1, node.shape(2)[0], "the number of values"));
  const int64_t fill = node.attrs().integer(Attr::fill_byte);
  if (fill < 0 || fill > UINT8_MAX) return invalid("The byte (", fill, ") is outside [0, ", UINT8_MAX, "].");
  const int64_t lookups = node.shape(0).empty() ? 1 : node.shape(0)[0];
  Shape output = node.shape(2);
  output[0] = lookups;
  return Shapes{output, {lookups}};
}

// Slices are copied without conversion.
Status check_value_quantization(const NodeView& node) {
  if (node.input(2).quant == node.output(0).quant) return {};
  return invalid("The quantization parameters of the values and of the first output differ.");
}

OpSchema hashtable_lookup() {
  return {.op = Op::hashtable_lookup,
          .inputs = {{.name = "lookups", .dtypes = DType::i32},
                     {.name = "keys", .same_as = 0},
                     {.name = "values", .dtypes = kAny}},
          .params = {integer_param(Param::hashtable_lookup_fill_byte, Attr::fill_byte, 0)},
          .outputs = {{.name = "output", .same_as = 2},
                      {.name = "hits", .rule = DTypeRule::fixed, .dtypes = {DType::u8, DType::i8}}},
          .infer = hashtable_lookup_shape,
          .check = check_value_quantization};
}

constexpr int64_t kDense = 2, kModes = 3;
constexpr int64_t kMaxBits = 32;

Result<Shapes> lsh_projection_shape(const NodeView& node) {
  NNRT_TRY(require_rank(node, 0, 2, 2));
  NNRT_TRY(require_rank(node, 1, 2, 2));
  if (node.input_count() == 3) NNRT_TRY(require_vector(node, 2, node.shape(1)[0], "the number of items"));
  const int64_t mode = node.attrs().integer(Attr::mode);
  if (mode < 1 || mode > kModes) return invalid("The mode (", mode, ") is outside [1, ", kModes, "].");
  const int64_t hashes = node.shape(0)[0], bits = node.shape(0)[1];
  if (bits > kMaxBits) return invalid("The number of bits (", bits, ") is above ", kMaxBits, ".");
  if (mode != kDense) return Shapes{{hashes}};
  return Shapes{{hashes < 0 || bits < 0 ? kUnknown : hashes * bits}};
}

OpSchema lsh_projection() {
  return {.op = Op::lsh_projection,
          .inputs = {{.name = "seeds", .dtypes = kFloat},
                     {.name = "items", .dtypes = DType::u8},
                     {.name = "weights", .same_as = 0, .optional = true}},
          .params = {required(integer_param(Param::lsh_projection_mode, Attr::mode))},
          .outputs = {{.name = "output", .rule = DTypeRule::fixed, .dtypes = DType::i32}},
          .infer = lsh_projection_shape};
}

Result<Shapes> random_multinomial_shape(const NodeView& node) {
  NNRT_TRY(require_rank(node, 0, 2, 2));
  NNRT_TRY(require_vector(node, 1, 2, "two seeds"));
  const int64_t samples = node.attrs().integer(Attr::samples);
  if (samples < 1 || samples > kLargest) {
    return invalid("The number of samples (", samples, ") is outside [1, ", kLargest, "].");
  }
  return Shapes{{node.shape(0)[0], samples}};
}

OpSchema random_multinomial() {
  return {.op = Op::random_multinomial,
          .inputs = {{.name = "input", .dtypes = kFloat}, {.name = "seeds", .dtypes = DType::i32}},
          .params = {required(integer_param(Param::random_multinomial_samples, Attr::samples))},
          .outputs = {{.name = "output", .rule = DTypeRule::fixed, .dtypes = DType::i32}},
          .infer = random_multinomial_shape};
}

}  // namespace

std::vector<OpSchema> lookup_rows() { return {hashtable_lookup(), lsh_projection(), random_multinomial()}; }

}  // namespace nnrt
