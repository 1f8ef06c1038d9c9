// The largest error of each quantity of a comparison, beside what is tolerated.
#pragma once

#include <string>
#include <vector>

namespace neuopt::backends::trace {

struct Discrepancy {
  std::string quantity;
  double tolerance = 0;  // of the error; 0: must be the same
  double largest = 0;    // error, absolute or as the check measures it
  long compared = 0;     // values
  std::string where;     // of the largest error

  /// False when nothing was compared: a check that looked at nothing proves nothing.
  bool passed() const { return compared > 0 && largest <= tolerance; }
};

class Discrepancies {
 public:
  /// Starts a row of the table.
  void expect(const std::string& quantity, double tolerance);
  /// Compares two values of a quantity that is expected. What is not a number is infinitely wrong.
  void compare(const std::string& quantity, double actual, double recorded, const std::string& where);
  /// The same for an error that is known already, the largest among a number of values.
  void add(const std::string& quantity, double error, long values, const std::string& where);
  bool expects(const std::string& quantity) const;

  const std::vector<Discrepancy>& rows() const { return rows_; }
  bool passed() const;

 private:
  std::vector<Discrepancy> rows_;
};

}  // namespace neuopt::backends::trace
