// Draws the operands of a LinearAlgebraCase and finishes it with Eigen's results and their error bounds.
#pragma once

#include "tests/support/graph_maker.h"
#include "tests/support/linear_algebra/eigen_oracle.h"
#include "tests/support/linear_algebra/linear_algebra_cases.h"
#include "tests/support/random/random.h"

#include <initializer_list>
#include <span>

namespace nnrt::test {

class CaseMaker {
 public:
  struct Operand {
    TensorId id = 0;
    eigen::Reals values;  // INT8: differences from the zero point
    Quant quant;
    Bytes bytes;
  };
  enum class Feed : uint8_t { input, constant };

  CaseMaker(std::string name, Op op, DType dtype, Format format = Format::none);

  Operand operand(const Shape& shape, Feed feed, const Quant& quant = {});
  // In the units of the products: INT32 beside INT8.
  Operand bias(int64_t channels);
  void attribute(Attr attr, std::span<const int64_t> values);
  void attribute(Attr attr, std::initializer_list<int64_t> values) { attribute(attr, std::span(values)); }
  void real_attribute(Attr attr, float value);
  void ints(const std::vector<int32_t>& values) { ids_.push_back(make_.ints(values)); }

  // Sums of `terms` products of the first two operands. `magnitudes`: the sums of the products' magnitudes.
  LinearAlgebraCase products(const Shape& result, const eigen::Reals& sums, const eigen::Reals& magnitudes,
                             int64_t terms);
  LinearAlgebraCase reals(const Shape& result, eigen::Reals want, eigen::Reals bound);
  LinearAlgebraCase integers(const Shape& result, Bytes exact);

  DType dtype() const { return one_.dtype; }
  // The unit roundoff of the arithmetic: float32, or double for FLOAT64.
  double roundoff() const { return dtype() == DType::f64 ? 0x1p-53 : 0x1p-24; }
  // The error of storing a value in the result's dtype.
  double storing(double value) const;

 private:
  LinearAlgebraCase finish(const Shape& result, const Quant& quant = {});

  LinearAlgebraCase one_;
  Format format_;
  Random random_;
  GraphMaker make_;
  std::vector<TensorId> ids_, parameters_;
  std::vector<Quant> quants_;
};

}  // namespace nnrt::test
