/**
 * @file ohos_names.h
 *
 * The interface under the names that OpenHarmony's drivers use. A driver that includes this header instead of
 * the generated ones can keep its namespaces, such as OHOS::HDI::Nnrt::V2_0, and `sptr`.
 */
#ifndef NNRT_HDI_OHOS_NAMES_H
#define NNRT_HDI_OHOS_NAMES_H

#include "plugin.h"

namespace OHOS {

template <typename T>
using sptr = std::shared_ptr<T>;

}  // namespace OHOS

namespace OHOS::HDI::Nnrt::V1_0 {

using namespace ::nnrt::hdi::V1_0;

}  // namespace OHOS::HDI::Nnrt::V1_0

namespace OHOS::HDI::Nnrt::V2_0 {

using namespace ::nnrt::hdi::V2_0;

}  // namespace OHOS::HDI::Nnrt::V2_0

namespace OHOS::HDI::Nnrt::V2_1 {

using namespace ::nnrt::hdi::V2_0;

}  // namespace OHOS::HDI::Nnrt::V2_1

#endif
