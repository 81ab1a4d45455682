// The driver's log goes to HiLog, whose levels run the other way (docs/driver.md).
#include <hilog/log.h>

extern "C" void nnrt_log_line(int level, const char* line) {
  HiLogPrint(LOG_CORE, static_cast<LogLevel>(LOG_FATAL - level), LOG_DOMAIN, "NNRt", "%{public}s", line);
}
