// The specification part of TSPLIB and CVRPLIB files: one function for each keyword, and what must hold in the end.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "core/error.h"
#include "core/file.h"
#include "core/text.h"
#include "io/keyword_warnings.h"
#include "io/solomon.h"
#include "io/text_cursor.h"
#include "io/tsplib.h"
#include "io/tsplib_names.h"
#include "io/tsplib_sections.h"

namespace neuopt {
namespace {

constexpr std::string_view kTypes = "TSP, CVRP or VRPTW";

class InstanceParser {
 public:
  InstanceParser(std::string_view bytes, const std::string& file, const WarningSink& warn,
                 const FileOverrides& overrides)
      : in_(bytes, file), warnings_(warn, file), overrides_(overrides) {}

  Instance run();

 private:
  using Reader = void (InstanceParser::*)();
  struct Keyword {
    std::string_view name;
    Reader read;
  };
  static constexpr std::size_t kKeywords = 22;
  static const std::array<Keyword, kKeywords> keywords;

  void read_entry();
  void skip_unknown(std::string_view keyword, long line);
  void refuse_unsupported(std::string_view keyword);

  // The keywords, in the order of the table.
  void read_name() { instance_.name = printable_text(in_.take_line()); }
  void read_comment();
  void read_type();
  void read_dimension();
  void read_vehicle_capacity() { instance_.capacity = read_capacity(in_); }
  void read_vehicles();
  void read_metric();
  void read_layout();
  void skip_value() { in_.take_line(); }
  void read_node_coordinates();
  void read_display_data() { display_ = read_coordinates(in_, size()); }
  void read_weights();
  void read_demand() { instance_.demand = read_demands(in_, size(), lines_.demand); }
  void read_service_time();
  void read_service() { instance_.service = read_service_times(in_, size(), lines_.service); }
  void read_time_windows() { instance_.windows = read_windows(in_, size(), lines_.window); }
  void read_depot_list();
  void read_fixed_edges();
  void read_end() { ended_ = true; }

  int size() const;
  Metric metric() const;
  long line_of(std::string_view keyword) const;
  bool has(std::string_view keyword) const { return line_of(keyword) != 0; }
  [[noreturn]] void fail_at(long line, const std::string& message) const {
    throw InputError(in_.file(), line, message);
  }
  void require(std::string_view keyword, std::string_view reason) const;
  void refuse(std::string_view keyword, std::string_view reason) const;
  void check_geometry();
  void check_problem();
  void refuse_service_times() const;
  void complete_times();
  void round_distances();
  void check_vehicles() const;
  void refuse_fixed_edges() const;

  TextCursor in_;
  KeywordWarnings warnings_;
  FileOverrides overrides_;
  Instance instance_;
  ProblemKind type_ = ProblemKind::tsp;  // as stated
  double service_time_ = 0;              // of every customer
  NodeLines lines_;
  std::vector<Point> display_;
  std::optional<MatrixLayout> layout_;
  std::array<long, kKeywords> line_of_{};  // where each keyword of the table was seen; 0: not yet
  bool ended_ = false;
};

const std::array<InstanceParser::Keyword, InstanceParser::kKeywords> InstanceParser::keywords = {{
    {"NAME", &InstanceParser::read_name},
    {"COMMENT", &InstanceParser::read_comment},
    {"TYPE", &InstanceParser::read_type},
    {"DIMENSION", &InstanceParser::read_dimension},
    {"CAPACITY", &InstanceParser::read_vehicle_capacity},
    {"VEHICLES", &InstanceParser::read_vehicles},
    {"EDGE_WEIGHT_TYPE", &InstanceParser::read_metric},
    {"EDGE_WEIGHT_FORMAT", &InstanceParser::read_layout},
    {"NODE_COORD_TYPE", &InstanceParser::skip_value},    // follows from the metric
    {"DISPLAY_DATA_TYPE", &InstanceParser::skip_value},  // follows from the sections
    {"EDGE_DATA_FORMAT", &InstanceParser::skip_value},   // of its section, which is refused
    {"NODE_COORD_SECTION", &InstanceParser::read_node_coordinates},
    {"DISPLAY_DATA_SECTION", &InstanceParser::read_display_data},
    {"EDGE_WEIGHT_SECTION", &InstanceParser::read_weights},
    {"DEMAND_SECTION", &InstanceParser::read_demand},
    {"DEPOT_SECTION", &InstanceParser::read_depot_list},
    {"SERVICE_TIME", &InstanceParser::read_service_time},
    {"SERVICE_TIME_SECTION", &InstanceParser::read_service},
    {"TIME_WINDOW_SECTION", &InstanceParser::read_time_windows},
    {"FIXED_EDGES_SECTION", &InstanceParser::read_fixed_edges},
    {"FIXED_EDGES", &InstanceParser::read_fixed_edges},  // as some files have it
    {"EOF", &InstanceParser::read_end},
}};

Instance InstanceParser::run() {
  while (!ended_ && !in_.at_end()) read_entry();
  require("TYPE", kTypes);
  require("DIMENSION", "the number of nodes");
  require("EDGE_WEIGHT_TYPE", "how distances are computed");
  check_geometry();
  check_problem();
  overrides_.bound_vehicles(instance_, in_.file());
  return std::move(instance_);
}

void InstanceParser::read_entry() {
  if (!in_.at_keyword()) in_.fail_expected("a keyword");
  const long line = in_.line();
  const std::string_view written = in_.take_keyword();
  const std::string name = upper_case(written);  // "vehicles : 3" is no less a bound
  const auto known = std::find_if(keywords.begin(), keywords.end(), [&](const Keyword& k) { return k.name == name; });
  if (known == keywords.end()) {
    refuse_unsupported(name);
    skip_unknown(written, line);
    return;
  }
  long& first_line = line_of_[known - keywords.begin()];
  if (first_line != 0 && name != "COMMENT") in_.fail(fmt::format("{} was given before in line {}", name, first_line));
  first_line = line;
  (this->*known->read)();
}

/// Whether the name of an unknown keyword speaks of something that a solution may or may not do.
bool may_constrain(std::string_view keyword) {
  static constexpr std::string_view stems[] = {
      "VEHICLE",  "TRUCK",      "FLEET",    "DRIVER", "SALESM",  "SALESP",   "ROUTE",   "TOUR",     "STOP",
      "DISTANCE", "LENGTH",     "DURATION", "TIME",   "SHIFT",   "PERIOD",   "DAY",     "DEADLINE", "RELEASE",
      "SERVICE",  "LIMIT",      "MAX",      "MIN",    "WINDOW",  "LOAD",     "VOLUME",  "PICKUP",   "DELIVER",
      "SPLIT",    "BACKHAUL",   "LINEHAUL", "DEMAND", "CAPACIT", "REQUIRED", "FIXED",   "FORBID",   "OPEN",
      "DEPOT",    "PRIZE",      "PROFIT",   "PENALT", "GROUP",   "CLUSTER",  "SKILL",   "COMPATIB", "INCOMPATIB",
      "PRIORIT",  "PRECEDENCE", "BATTER",   "ENERGY", "FUEL",    "RANGE",    "STATION", "SPEED"};
  while (!keyword.empty()) {  // word by word
    for (const std::string_view stem : stems)
      if (keyword.starts_with(stem)) return true;
    const std::size_t end = keyword.find('_');
    keyword.remove_prefix(end == keyword.npos ? keyword.size() : end + 1);
  }
  return false;
}

void InstanceParser::refuse_unsupported(std::string_view keyword) {
  struct Refusal {
    std::string_view keyword;
    std::string_view meaning;
  };
  static constexpr Refusal refusals[] = {
      {"DISTANCE", "a limit on the length of routes"},
      {"VEHICLES_MAX_DISTANCE", "a limit on the length of routes"},
      {"VEHICLES_MAX_DURATION", "a limit on the duration of routes"},
      {"VEHICLES_DEPOT_SECTION", "vehicles of several depots"},
      {"CAPACITY_SECTION", "vehicles of several kinds"},
      {"EDGE_DATA_SECTION", "a graph that is not complete"},
      {"LINEHAUL_SECTION", "linehauls"},
      {"BACKHAUL_SECTION", "backhauls"},
      {"PICKUP_AND_DELIVERY_SECTION", "pickups and deliveries"},
      {"TOUR_SECTION", "a tour, expected an instance"},
  };
  for (const auto& refusal : refusals) {
    if (refusal.keyword == keyword) in_.fail(fmt::format("{} ({}) is not supported", keyword, refusal.meaning));
  }
  if (keyword.ends_with("_SECTION") || may_constrain(keyword))
    in_.fail(fmt::format("{} is not known and may constrain solutions; remove it to solve the instance without",
                         quote_bytes(keyword)));
}

void InstanceParser::skip_unknown(std::string_view keyword, long line) {
  warnings_.unknown(keyword, line);
  in_.take_line();
  // Lines of data behind an unknown section belong to it.
  while (!in_.at_end() && !in_.at_keyword()) in_.take_line();
}

void InstanceParser::read_comment() {
  if (!instance_.comment.empty()) instance_.comment += '\n';
  instance_.comment += printable_text(in_.take_line());
}

void InstanceParser::read_type() {
  const std::string_view type = in_.take_token_in_line(kTypes);
  const auto known = type_from_name(type);
  if (!known) {
    const std::string_view hint = type == "ATSP" ? " (asymmetric distances)" : "";
    in_.fail(fmt::format("TYPE {}{} is not supported, expected {}", quote_bytes(type), hint, kTypes));
  }
  instance_.kind = type_ = *known;
  in_.take_line();  // some files add a remark behind the type
}

void InstanceParser::read_dimension() {
  // A file has at least one byte for each node, so that nothing larger needs to be considered.
  const auto most = std::min<std::size_t>(in_.remaining(), std::numeric_limits<int>::max());
  instance_.size = in_.take_integer_in_line("the number of nodes (at most the bytes that follow)", 1, int(most));
  in_.expect_line_end();
}

void InstanceParser::read_vehicles() {
  instance_.vehicles = in_.take_integer_in_line("the number of vehicles", 1, std::numeric_limits<int>::max());
  in_.expect_line_end();
}

void InstanceParser::read_service_time() {
  service_time_ = in_.take_number_in_line("the service time of every customer", not_negative);
  in_.expect_line_end();
}

void InstanceParser::read_metric() {
  const std::string_view name = in_.take_token_in_line("a type of edge weights");
  const auto known = metric_from_name(name);
  if (!known) {
    in_.fail(
        fmt::format("EDGE_WEIGHT_TYPE {} is not supported, expected one of {}", quote_bytes(name), metric_names()));
  }
  instance_.metric = *known;
  in_.take_line();
}

void InstanceParser::read_layout() {
  const std::string_view name = in_.take_token_in_line("a format of edge weights");
  layout_ = layout_from_name(name);
  if (!layout_ && name != "FUNCTION") {
    in_.fail(fmt::format("EDGE_WEIGHT_FORMAT {} is not known, expected FULL_MATRIX or (UPPER|LOWER)[_DIAG]_(ROW|COL)",
                         quote_bytes(name)));
  }
  in_.take_line();
}

void InstanceParser::read_node_coordinates() {
  instance_.coordinates = read_coordinates(in_, size(), three_dimensional(metric()) ? &instance_.z : nullptr);
}

void InstanceParser::read_weights() {
  if (metric() != Metric::explicit_matrix) in_.fail("expected EDGE_WEIGHT_TYPE EXPLICIT for an EDGE_WEIGHT_SECTION");
  if (!layout_) in_.fail("expected an EDGE_WEIGHT_FORMAT such as FULL_MATRIX before the EDGE_WEIGHT_SECTION");
  instance_.matrix = read_matrix(in_, size(), *layout_);
}

void InstanceParser::read_depot_list() { instance_.depot = read_depot(in_, size()); }

void InstanceParser::read_fixed_edges() {
  if (traits(instance_.kind).depots) refuse_fixed_edges();
  if (!instance_.fixed_edges.empty()) in_.fail("there was a section of fixed edges before");
  instance_.fixed_edges = read_edges(in_, size());
}

int InstanceParser::size() const {
  if (instance_.size == 0) in_.fail("expected DIMENSION before the first section");
  return instance_.size;
}

Metric InstanceParser::metric() const {
  if (!has("EDGE_WEIGHT_TYPE")) in_.fail("expected EDGE_WEIGHT_TYPE before the first section");
  return instance_.metric;
}

/// Where a keyword of the table was seen; 0: nowhere.
long InstanceParser::line_of(std::string_view keyword) const {
  for (std::size_t i = 0; i < keywords.size(); ++i) {
    if (keywords[i].name == keyword) return line_of_[i];
  }
  return 0;
}

void InstanceParser::require(std::string_view keyword, std::string_view reason) const {
  if (!has(keyword)) in_.fail(fmt::format("expected {} ({}), found the end of the file without it", keyword, reason));
}

void InstanceParser::refuse(std::string_view keyword, std::string_view reason) const {
  if (has(keyword)) fail_at(line_of(keyword), fmt::format("{} has no meaning for {}", keyword, reason));
}

void InstanceParser::check_geometry() {
  if (instance_.metric == Metric::explicit_matrix) {
    require("EDGE_WEIGHT_SECTION", "the edge weights");
    if (!display_.empty()) instance_.coordinates = std::move(display_);
  } else {
    require("NODE_COORD_SECTION", "the coordinates");
  }
  round_distances();
}

/// EUC_2D is rounded as asked for, else by the custom of the files of that type.
void InstanceParser::round_distances() {
  if (instance_.metric != Metric::euc_2d)
    overrides_.check_rounding(instance_, in_.file(), std::string(metric_name(instance_.metric)));
  else if (overrides_.rounding)
    instance_.metric = *overrides_.rounding;
  else if (traits(type_).windows)
    instance_.metric = Metric::dimacs_2d;
}

void InstanceParser::check_problem() {
  if (type_ == ProblemKind::cvrp && has("TIME_WINDOW_SECTION")) instance_.kind = ProblemKind::vrptw;
  switch (instance_.kind) {
    case ProblemKind::tsp:
      for (const auto keyword : {"CAPACITY", "VEHICLES", "DEMAND_SECTION", "DEPOT_SECTION", "TIME_WINDOW_SECTION"})
        refuse(keyword, "TYPE TSP");
      refuse_service_times();
      break;
    case ProblemKind::cvrp:
      check_vehicles();
      refuse_service_times();
      break;
    case ProblemKind::vrptw:
      require("TIME_WINDOW_SECTION", "when each node may be served");
      check_vehicles();
      complete_times();
      check_services(instance_, in_.file(), lines_);
      break;
  }
}

/// Some files state a service time of 0 where it does not matter.
void InstanceParser::refuse_service_times() const {
  const std::string_view keyword = service_time_ > 0 ? "SERVICE_TIME" : "SERVICE_TIME_SECTION";
  if (has(keyword)) fail_at(line_of(keyword), "service times without a TIME_WINDOW_SECTION are not supported");
}

void InstanceParser::complete_times() {
  if (!has("SERVICE_TIME_SECTION")) {
    instance_.service.assign(static_cast<std::size_t>(instance_.size), service_time_);
    instance_.service[static_cast<std::size_t>(instance_.depot)] = 0;
  } else if (has("SERVICE_TIME")) {
    fail_at(std::max(line_of("SERVICE_TIME"), line_of("SERVICE_TIME_SECTION")),
            "SERVICE_TIME and SERVICE_TIME_SECTION were both given, expected one of them");
  }
}

void InstanceParser::refuse_fixed_edges() const {
  fail_at(std::max(line_of("FIXED_EDGES_SECTION"), line_of("FIXED_EDGES")),
          fmt::format("FIXED_EDGES_SECTION (fixed edges) is not supported for TYPE {}, only for TYPE TSP",
                      type_name(type_)));
}

void InstanceParser::check_vehicles() const {
  require("CAPACITY", "of every vehicle");
  require("DEMAND_SECTION", "the demands");
  require("DEPOT_SECTION", "the depot");
  if (!instance_.fixed_edges.empty()) refuse_fixed_edges();
  if (instance_.size < 2) fail_at(line_of("DIMENSION"), "expected a DIMENSION of at least 2: the depot and a customer");
  check_demands(instance_, in_.file(), lines_);
}

}  // namespace

Instance parse_instance(std::string_view bytes, const std::string& filename, const WarningSink& warn,
                        const FileOverrides& overrides) {
  if (looks_like_solomon(bytes)) return parse_solomon(bytes, filename, overrides);
  return InstanceParser(bytes, filename, warn, overrides).run();
}

Instance read_instance_file(const std::string& path, const WarningSink& warn, const FileOverrides& overrides) {
  return parse_instance(read_file(path), path, warn, overrides);
}

}  // namespace neuopt
