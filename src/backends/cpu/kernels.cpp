#include "backends/cpu/kernels.h"

#include <fmt/format.h>

#include <string_view>

#include "backends/cpu/matmul_half.h"
#include "core/error.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace neuopt::backends::cpu {

extern const Kernels kPlainKernels;
#if defined(__x86_64__)
extern const Kernels kAvx512Kernels;
extern const Kernels kAvx2Kernels;
#endif

namespace {

#if defined(__x86_64__)

bool has_avx512() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

bool has_avx512_bf16() {
  constexpr unsigned kBf16 = 1u << 5;  // of leaf 7, second page, EAX
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0 && (a & kBf16) != 0;
}

bool has_avx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }

/// AVX-512 with the best bf16 products that there are.
Kernels avx512_kernels() {
  Kernels kernels = kAvx512Kernels;
  if (!has_avx512_bf16()) return kernels;
  const bool amx = request_amx();
  kernels.matmul_half = amx ? matmul_amx_bf16 : matmul_avx512_bf16;
  kernels.peak_half = amx ? peak_amx_bf16 : peak_avx512_bf16;
  kernels.half_name = amx ? "amx" : "avx512_bf16";
  return kernels;
}

#endif

}  // namespace

const Kernels& kernels_for(const char* name) {
  const std::string_view wanted = name;
  const bool any = wanted.empty();
  if (!any && wanted != "avx512" && wanted != "avx2" && wanted != "plain")
    throw InputError(fmt::format("instruction set '{}', expected avx512, avx2 or plain", wanted));
#if defined(__x86_64__)
  if ((any || wanted == "avx512") && has_avx512()) {
    static const Kernels kernels = avx512_kernels();
    return kernels;
  }
  if ((any || wanted == "avx2") && has_avx2()) return kAvx2Kernels;
#endif
  if (any || wanted == "plain") return kPlainKernels;
  throw ResourceError(fmt::format("this processor does not have {}", wanted));
}

}  // namespace neuopt::backends::cpu
