// Transformer operators: attention, rotary embedding, products with low-bit weights.
#include "core/schema/attention_geometry.h"
#include "core/schema/geometry.h"
#include "core/schema/rules.h"
#include "core/schema/validate.h"

namespace nnrt {
namespace {

// The mask must broadcast to the products without adding dimensions.
Status check_mask(const NodeView& node, const Shape& products) {
  const Shape& mask = node.shape(3);
  if (mask.size() > products.size()) return require_rank(node, 3, 0, products.size());
  for (size_t i = 0; i < mask.size(); ++i) {
    const int64_t wanted = products[products.size() - mask.size() + i];
    if (mask[i] != 1 && conflict(mask[i], wanted)) {
      return invalid("Shape of the mask (", to_string(mask), ") does not broadcast to that of the products (",
                     to_string(products), ").");
    }
  }
  return {};
}

Result<Shapes> attention_shape(const NodeView& node) {
  for (size_t i = 0; i < 3; ++i) NNRT_TRY(require_rank(node, i, 4, 4));
  const Shape &query = node.shape(0), &key = node.shape(1), &value = node.shape(2);
  for (size_t i = 1; i <= 2; ++i) NNRT_TRY(require_dimension(node, i, 0, query[0], "the batch"));
  NNRT_TRY(require_dimension(node, 1, 3, query[3], "the length of a query"));
  NNRT_TRY(require_dimension(node, 2, 1, key[1], "the number of key heads"));
  NNRT_TRY(require_dimension(node, 2, 2, key[2], "the number of keys"));
  if (query[1] >= 0 && key[1] > 0 && query[1] % key[1] != 0) {
    return invalid("The query heads (", query[1], ") are not divisible by the key heads (", key[1], ").");
  }
  if (node.input_count() == 4) NNRT_TRY(check_mask(node, {query[0], query[1], query[2], key[2]}));
  return Shapes{{query[0], query[1], query[2], value[3]}};
}

Status check_attention(const NodeView& node) {
  NNRT_TRY(check_zero_nan(node));
  if (node.input_count() < 4 || node.dtype(3) == DType::boolean || node.dtype(3) == node.dtype(0)) return {};
  return invalid("The mask is ", name(node.dtype(3)), ", but the query is ", name(node.dtype(0)), ".");
}

OpSchema attention() {
  return {.op = Op::attention,
          .inputs = {{.name = "query", .dtypes = kFloat},
                     {.name = "key", .same_as = 0},
                     {.name = "value", .same_as = 0},
                     {.name = "mask", .dtypes = kFloat | DType::boolean, .optional = true}},
          .params = {{Param::attention_scale, Attr::scale, DType::f32},
                     choice_param(Param::attention_causal, Attr::causal, DType::i8, 3),
                     zero_nan_param(Param::attention_zero_nan, true)},
          .outputs = {{.name = "output"}},
          .infer = attention_shape,
          .check = check_attention};
}

// Angles broadcast to the input's positions; their last dimension has one per pair.
Result<Shapes> rotary_embedding_shape(const NodeView& node) {
  const Shape& input = node.shape(0);
  const Shape cos = with_dimension(node.shape(1));
  NNRT_TRY(require_rank(node, 0, 2, 7));
  for (size_t i = 1; i <= 2; ++i) NNRT_TRY(require_rank(node, i, 1, input.size()));
  if (!compatible(cos, node.shape(2))) {
    return invalid("Shape of the sin (", to_string(node.shape(2)), ") is not that of the cos (",
                   to_string(cos), ").");
  }
  const int64_t pairs = cos.back();
  if (pairs >= 0 && input.back() >= 0 && 2 * pairs > input.back()) {
    return invalid("The last dimension of the input (", input.back(), ") has no ", pairs, " pairs.");
  }
  for (size_t i = 0; i + 1 < cos.size(); ++i) {
    const int64_t wanted = input[input.size() - cos.size() + i];
    if (cos[i] != 1 && conflict(cos[i], wanted)) {
      return invalid("Dimension ", i, " of the cos (", cos[i], ") does not broadcast to the input's (",
                     wanted, ").");
    }
  }
  return same_shape(node);
}

OpSchema rotary_embedding() {
  return {.op = Op::rotary_embedding,
          .inputs = {{.name = "input", .dtypes = kFloat},
                     {.name = "cos", .same_as = 0},
                     {.name = "sin", .same_as = 0}},
          .params = {flag_param(Param::rotary_embedding_interleaved, Attr::interleaved)},
          .outputs = {{.name = "output"}},
          .infer = rotary_embedding_shape};
}

Result<Shapes> matmul_nbits_shape(const NodeView& node) {
  const Shape input = with_dimension(node.shape(0));
  NNRT_TRY(require_rank(node, 0, 1, kMaxTensorRank));
  for (size_t i = 1; i <= 3; ++i) NNRT_TRY(require_rank(node, i, 2, 2));
  const int64_t bits = node.attrs().integer(Attr::bits), block = node.attrs().integer(Attr::block);
  if (bits != 4 && bits != 8) return invalid("The bits (", bits, ") are neither 4 nor 8.");
  if (block < 0) return invalid("The block size (", block, ") is below 0.");
  const int64_t columns = node.shape(1)[0], length = input.back();
  if (length >= 0) {
    const int64_t blocks = block == 0 ? 1 : length / block + (length % block != 0);
    NNRT_TRY(require_dimension(node, 1, 1, bits == 8 ? length : (length + 1) / 2, "the bytes of a row"));
    for (size_t i = 2; i <= 3; ++i) NNRT_TRY(require_dimension(node, i, 1, blocks, "the number of blocks"));
  }
  for (size_t i = 2; i <= 3; ++i)
    NNRT_TRY(require_dimension(node, i, 0, columns, "the number of output channels"));
  if (node.input_count() == 5) NNRT_TRY(require_vector(node, 4, columns, "the number of output channels"));
  Shape output = input;
  output.back() = columns;
  return Shapes{output};
}

OpSchema matmul_nbits() {
  return {.op = Op::matmul_nbits,
          .inputs = {{.name = "input", .dtypes = kFloat},
                     {.name = "weight", .dtypes = DType::u8},
                     {.name = "scales", .same_as = 0},
                     {.name = "zeroPoints", .dtypes = DType::u8},
                     {.name = "bias", .same_as = 0, .optional = true}},
          .params = {integer_param(Param::matmul_nbits_bits, Attr::bits, 4),
                     integer_param(Param::matmul_nbits_block_size, Attr::block, 0),
                     activation_param(Param::matmul_nbits_activation_type),
                     flag_param(Param::matmul_nbits_approximate, Attr::approximate)},
          .outputs = {{.name = "output"}},
          .infer = matmul_nbits_shape};
}

}  // namespace

std::vector<OpSchema> transformer_rows() { return {attention(), rotary_embedding(), matmul_nbits()}; }

}  // namespace nnrt
