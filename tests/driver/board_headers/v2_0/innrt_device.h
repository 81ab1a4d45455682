#pragma once

#define NNRT_TEST_HDI_NAMESPACE OHOS::HDI::Nnrt::V2_0
#define NNRT_TEST_HDI_MINOR 0
#include "../interface.h"
