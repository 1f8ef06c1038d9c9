#include "backends/trace/trace_check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "backends/factory.h"
#include "core/error.h"
#include "core/file.h"
#include "io/npz.h"
#include "support/temporary_folder.h"

namespace neuopt::backends::trace {
namespace {

const std::string kGolden = NEUOPT_TEST_DATA "/golden/";

Discrepancies check(const std::string& path, const std::string& backend) {
  return check_trace(Trace::open(path), *make_backend(backend, 2), tolerances_for(backend));
}

void expect_passes(const std::string& path, const std::string& backend) {
  const Discrepancies table = check(path, backend);
  for (const Discrepancy& row : table.rows())
    EXPECT_TRUE(row.passed()) << path << ", " << backend << ": " << row.quantity << " is wrong by " << row.largest
                              << " at " << row.where;
  EXPECT_TRUE(table.passed());
}

TEST(TraceCheck, EveryBackendReplaysTheTraces) {
  for (const std::string& backend : backend_names()) {
    expect_passes(kGolden + "tsp20_d32.npz", backend);
    expect_passes(kGolden + "cvrp20_d32.npz", backend);
  }
}

TEST(TraceCheck, EveryBackendReplaysAllSharedTraces) {
  const std::filesystem::path folder = std::filesystem::path(NEUOPT_SHARED) / "golden";
  if (!std::filesystem::is_directory(folder)) GTEST_SKIP() << "no folder " << folder;
  int traces = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".npz" || !NpzFile::open(entry.path()).has("meta.steps")) continue;
    for (const std::string& backend : backend_names()) expect_passes(entry.path(), backend);
    ++traces;
  }
  EXPECT_GT(traces, 0);
}

/// The rows that fail once an array of a trace has been changed.
std::vector<std::string> failures_after(const std::string& array, float change) {
  NamedTensors tensors = parse_npz(read_file(kGolden + "tsp20_d32.npz"), "tsp20_d32");
  std::vector<float> values = tensors.at(array).to_float();
  values[4] += change;
  tensors[array] = Tensor(tensors.at(array).shape, values);
  const test::TemporaryFolder folder;
  const std::string path = folder / "changed.npz";
  write_npz(path, tensors);
  const Discrepancies table = check(path, "reference");
  std::vector<std::string> failures;
  for (const Discrepancy& row : table.rows())
    if (!row.passed()) failures.push_back(row.quantity);
  EXPECT_EQ(table.passed(), failures.empty());
  return failures;
}

TEST(TraceCheck, FindsWhatIsWrong) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(failures_after("t1.embeddings", 1e-7f), Names{});
  EXPECT_EQ(failures_after("t1.embeddings", 1e-3f), Names{"embeddings"});
  EXPECT_EQ(failures_after("cpe", 1e-3f), Names{"cpe"});
  EXPECT_EQ(failures_after("t2.log_prob", 1e-3f), Names{"log_prob"});
  EXPECT_EQ(failures_after("t0.attn_logits_layer0", 1e-3f), Names{"attn_logits_layer0"});
  EXPECT_EQ(failures_after("t3.next_obj", 1e-3f), Names{"next_obj"});
}

TEST(TraceCheck, ComparingNothingIsNoSuccess) {
  Discrepancies table;
  EXPECT_FALSE(table.passed());
  table.expect("x", 1);
  EXPECT_FALSE(table.passed());
  table.compare("x", 1, std::nan(""), "");
  EXPECT_FALSE(table.passed());
}

TEST(TraceCheck, OtherFilesAreNoTraces) {
  const test::TemporaryFolder folder;
  write_npz(folder / "set.npz", {{"locs", Tensor({1, 3, 2}, std::vector<float>(6))}});
  EXPECT_THROW(Trace::open(folder / "set.npz"), InputError);
  EXPECT_THROW(make_backend("abacus"), InputError);
}

}  // namespace
}  // namespace neuopt::backends::trace
