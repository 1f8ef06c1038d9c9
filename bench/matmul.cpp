// The encoder's matrix products (rows x 128 x columns, single precision, one thread) with our kernels and, where they
// are installed, with general libraries. The weights are constant, so each candidate may prepare them once.
#include <benchmark/benchmark.h>

#include <vector>

#include "backends/cpu/packed_matrix.h"
#include "core/error.h"

#if defined(NEUOPT_BENCH_OPENBLAS)
#include <cblas.h>
extern "C" void openblas_set_num_threads(int);
#endif
#if defined(NEUOPT_BENCH_DNNL)
#include <dnnl.hpp>
#endif
#if defined(NEUOPT_BENCH_XSMM)
#include <libxsmm.h>
#endif

namespace {

using neuopt::backends::cpu::AlignedFloats;

constexpr int kInner = 128;

struct Matrices {
  int rows, columns;
  AlignedFloats a, b, c;

  explicit Matrices(const benchmark::State& state)
      : rows(static_cast<int>(state.range(0))),
        columns(static_cast<int>(state.range(1))),
        a(static_cast<std::size_t>(rows) * kInner, 0.5f),
        b(static_cast<std::size_t>(kInner) * columns, 0.25f),
        c(static_cast<std::size_t>(rows) * columns, 0.0f) {}
};

/// Calls the product over and over and reports operations per second.
template <class Product>
void run(benchmark::State& state, const Matrices& m, Product&& product) {
  for (auto _ : state) {
    product();
    benchmark::DoNotOptimize(m.c.data());
    benchmark::ClobberMemory();
  }
  const double operations = 2.0 * m.rows * m.columns * kInner * static_cast<double>(state.iterations());
  state.counters["GFLOP/s"] = benchmark::Counter(operations * 1e-9, benchmark::Counter::kIsRate);
}

void ours(benchmark::State& state, const char* set, bool half) try {
  const neuopt::backends::cpu::Kernels& kernels = neuopt::backends::cpu::kernels_for(set);
  if (half && kernels.matmul_half == nullptr) return state.SkipWithError("no bf16 products");
  Matrices m(state);
  neuopt::backends::cpu::PackedMatrix b(kInner, m.columns);
  b.fill(0, 0, kInner, m.columns, [&](int i, int j) { return m.b[static_cast<std::size_t>(i) * m.columns + j]; });
  if (half) b.round_to_half();
  std::vector<std::uint16_t> half_rows(static_cast<std::size_t>(m.rows + 16) * kInner);
  neuopt::backends::cpu::Matmul product =
      neuopt::backends::cpu::product(m.a.data(), kInner, m.rows, b, m.c.data(), m.columns);
  product.a_half = half_rows.data();
  run(state, m, [&] { half ? kernels.matmul_half(product) : kernels.matmul(product); });
} catch (const neuopt::ResourceError& error) {
  state.SkipWithError(error.what());
}

void avx512(benchmark::State& state) { ours(state, "avx512", false); }
void avx2(benchmark::State& state) { ours(state, "avx2", false); }
void plain(benchmark::State& state) { ours(state, "plain", false); }
void best_bf16(benchmark::State& state) { ours(state, "", true); }

#if defined(NEUOPT_BENCH_OPENBLAS)
void openblas(benchmark::State& state) {
  Matrices m(state);
  openblas_set_num_threads(1);
  run(state, m, [&] {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m.rows, m.columns, kInner, 1.0f, m.a.data(), kInner,
                m.b.data(), m.columns, 0.0f, m.c.data(), m.columns);
  });
}
#endif

#if defined(NEUOPT_BENCH_XSMM)
void libxsmm(benchmark::State& state) {
  Matrices m(state);
  // Column-major: C^T = B^T A^T.
  const float alpha = 1, beta = 0;
  const libxsmm_smmfunction kernel =
      libxsmm_smmdispatch(m.columns, m.rows, kInner, &m.columns, &kInner, &m.columns, &alpha, &beta, nullptr, nullptr);
  if (kernel == nullptr) return state.SkipWithError("no kernel for this shape");
  run(state, m, [&] { kernel(m.b.data(), m.a.data(), m.c.data()); });
}
#endif

#if defined(NEUOPT_BENCH_DNNL)
void onednn(benchmark::State& state) {
  Matrices m(state);
  // The AMX path of old versions fails on some machines; single precision does not need it.
  dnnl::set_max_cpu_isa(dnnl::cpu_isa::avx512_core_bf16);
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  using Desc = dnnl::memory::desc;
  const auto f32 = dnnl::memory::data_type::f32;
  const auto ab = dnnl::memory::format_tag::ab, any = dnnl::memory::format_tag::any;
  const Desc a({m.rows, kInner}, f32, ab), b({kInner, m.columns}, f32, any), c({m.rows, m.columns}, f32, ab);
  const dnnl::matmul::primitive_desc choice(dnnl::matmul::desc(a, b, c), engine);
  dnnl::memory weights(choice.weights_desc(), engine);
  dnnl::memory plain_weights(Desc({kInner, m.columns}, f32, ab), engine, m.b.data());
  dnnl::reorder(plain_weights, weights).execute(stream, plain_weights, weights);
  const dnnl::matmul product(choice);
  const std::unordered_map<int, dnnl::memory> arguments = {{DNNL_ARG_SRC, dnnl::memory(a, engine, m.a.data())},
                                                           {DNNL_ARG_WEIGHTS, weights},
                                                           {DNNL_ARG_DST, dnnl::memory(c, engine, m.c.data())}};
  run(state, m, [&] { product.execute(stream, arguments); });
}
#endif

void shapes(benchmark::internal::Benchmark* benchmark) {
  for (const int rows : {100, 120})
    for (const int columns : {128, 384, 512}) benchmark->Args({rows, columns});
  benchmark->ArgNames({"rows", "columns"})->Unit(benchmark::kMicrosecond);
}

BENCHMARK(avx512)->Apply(shapes);
BENCHMARK(avx2)->Apply(shapes);
BENCHMARK(plain)->Apply(shapes);
BENCHMARK(best_bf16)->Apply(shapes);
#if defined(NEUOPT_BENCH_OPENBLAS)
BENCHMARK(openblas)->Apply(shapes);
#endif
#if defined(NEUOPT_BENCH_XSMM)
BENCHMARK(libxsmm)->Apply(shapes);
#endif
#if defined(NEUOPT_BENCH_DNNL)
BENCHMARK(onednn)->Apply(shapes);
#endif

}  // namespace

BENCHMARK_MAIN();
