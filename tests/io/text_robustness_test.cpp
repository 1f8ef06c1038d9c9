// Any bytes end in a value or an InputError; and no setting of the process changes what a number means.
#include <gtest/gtest.h>

#include <clocale>
#include <functional>
#include <locale>
#include <string>

#include "core/error.h"
#include "io/solution_file.h"
#include "io/text_samples.h"
#include "io/tsplib.h"

namespace neuopt {
namespace {

struct Outcomes {
  int values = 0;
  int errors = 0;
};

/// Any other exception escapes and fails the test.
void attempt(const std::function<void(const std::string&)>& parse, const std::string& text, Outcomes& outcomes) {
  try {
    parse(text);
    ++outcomes.values;
  } catch (const InputError& error) {
    ++outcomes.errors;
    EXPECT_EQ(std::string(error.what()).rfind("file:", 0), 0u) << error.what();
  }
}

void try_every_truncation(const std::function<void(const std::string&)>& parse, const std::string& text) {
  Outcomes outcomes;
  for (std::size_t length = 0; length < text.size(); ++length) attempt(parse, text.substr(0, length), outcomes);
  EXPECT_GT(outcomes.errors, 0);
}

void try_every_byte(const std::function<void(const std::string&)>& parse, std::string text) {
  Outcomes outcomes;
  for (char& byte : text) {
    const char original = byte;
    for (int value = 0; value < 256; ++value) {
      byte = static_cast<char>(value);
      attempt(parse, text, outcomes);
    }
    byte = original;
  }
  EXPECT_GT(outcomes.values, 0);
  EXPECT_GT(outcomes.errors, 0);
}

const auto parse_as_instance = [](const std::string& text) { parse_instance(text, "file"); };

TEST(Robustness, TruncatedInstances) {
  for (const auto& sample : samples::instances()) {
    SCOPED_TRACE(sample.name);
    try_every_truncation(parse_as_instance, sample.text);
  }
  try_every_truncation(parse_as_instance, samples::solomon());
}

TEST(Robustness, ChangedInstances) {
  for (const auto& sample : samples::instances()) {
    SCOPED_TRACE(sample.name);
    try_every_byte(parse_as_instance, sample.text);
  }
  try_every_byte(parse_as_instance, samples::solomon());
}

TEST(Robustness, TruncatedAndChangedSolutions) {
  const Instance vrp = parse_instance(samples::vrp(), "file");
  const Instance tsp = parse_instance(samples::tsp("EUC_2D", samples::plane), "file");
  const auto parse_routes = [&](const std::string& text) { parse_solution(text, "file", vrp); };
  const auto parse_tour = [&](const std::string& text) { parse_solution(text, "file", tsp); };
  try_every_truncation(parse_routes, samples::routes);
  try_every_truncation(parse_tour, samples::tour);
  try_every_byte(parse_routes, samples::routes);
  try_every_byte(parse_tour, samples::tour);
}

/// Decimal commas and dots between thousands, as in German.
class GermanNumbers : public std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

class GermanLocale {
 public:
  GermanLocale() : before_(std::locale::global(std::locale(std::locale::classic(), new GermanNumbers))) {
    // The C library's own setting too, where the system has such a locale.
    std::setlocale(LC_ALL, "de_DE.UTF-8");
  }
  ~GermanLocale() {
    std::locale::global(before_);
    std::setlocale(LC_ALL, "C");
  }

 private:
  std::locale before_;
};

TEST(Robustness, NumbersDoNotDependOnTheLocale) {
  const Instance instance = parse_instance(samples::vrp(), "file");
  const std::string written = write_instance(instance);
  const std::string solution = write_solution(instance, {{{0, 2}, {3}}}, 123456.5);
  const GermanLocale german;
  EXPECT_EQ(parse_instance(samples::vrp(), "file").coordinates[2].x, 10.5);
  EXPECT_EQ(write_instance(parse_instance(samples::vrp(), "file")), written);
  EXPECT_EQ(write_solution(instance, {{{0, 2}, {3}}}, 123456.5), solution);
  EXPECT_NE(solution.find("Cost 123456.5\n"), std::string::npos);
  EXPECT_EQ(parse_solution(solution, "file", instance).cost, 123456.5);
}

}  // namespace
}  // namespace neuopt
