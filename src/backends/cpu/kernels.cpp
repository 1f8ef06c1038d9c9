#include "backends/cpu/kernels.h"

#include <fmt/format.h>

#include <string_view>

#include "core/error.h"

namespace neuopt::cpu {

extern const Kernels kPlainKernels;
#if defined(__x86_64__)
extern const Kernels kAvx512Kernels;
extern const Kernels kAvx2Kernels;
#endif

namespace {

bool has_avx512() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#else
  return false;
#endif
}

bool has_avx2() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

}  // namespace

const Kernels& kernels_for(const char* name) {
  const std::string_view wanted = name;
  const bool any = wanted.empty();
  if (!any && wanted != "avx512" && wanted != "avx2" && wanted != "plain")
    throw InputError(fmt::format("instruction set '{}', expected avx512, avx2 or plain", wanted));
#if defined(__x86_64__)
  if ((any || wanted == "avx512") && has_avx512()) return kAvx512Kernels;
  if ((any || wanted == "avx2") && has_avx2()) return kAvx2Kernels;
#endif
  if (any || wanted == "plain") return kPlainKernels;
  throw ResourceError(fmt::format("this processor does not have {}", wanted));
}

}  // namespace neuopt::cpu
