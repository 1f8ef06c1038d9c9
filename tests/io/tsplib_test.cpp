#include "io/tsplib.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/error.h"
#include "instance_error.h"
#include "io/text_samples.h"
#include "same_instance.h"
#include "support/text.h"

namespace neuopt {
namespace {

using samples::plane;
using test::instance_error;
using test::replaced;

void expect_same_file(const Instance& a, const Instance& b) {
  test::expect_same_problem(a, b);
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.comment, b.comment);
}

TEST(Tsplib, ReadsCoordinates) {
  const Instance instance = parse_instance(samples::tsp("EUC_2D", plane), "file");
  EXPECT_EQ(instance.kind, ProblemKind::tsp);
  EXPECT_EQ(instance.name, "small");
  EXPECT_EQ(instance.comment, "four nodes");
  EXPECT_EQ(instance.size, 4);
  EXPECT_EQ(instance.metric, Metric::euc_2d);
  ASSERT_EQ(instance.coordinates.size(), 4u);
  EXPECT_EQ(instance.coordinates[2].x, 10.5);
  EXPECT_EQ(instance.coordinates[2].y, -2.25);
  EXPECT_EQ(instance.coordinates[3].x, 10);
}

TEST(Tsplib, EveryLayoutGivesTheSameMatrix) {
  const std::vector<double> expected = {0, 1, 2, 3, 1, 0, 4, 5, 2, 4, 0, 6, 3, 5, 6, 0};
  int layouts = 0;
  for (const auto& sample : samples::instances()) {
    const Instance instance = parse_instance(sample.text, sample.name);
    if (instance.metric != Metric::explicit_matrix) continue;
    ++layouts;
    EXPECT_EQ(instance.matrix, expected) << sample.name;
    EXPECT_EQ(instance.coordinates.size(), sample.name == "display" ? 4u : 0u);
  }
  EXPECT_EQ(layouts, 10);
}

TEST(Tsplib, DiagonalIsZeroWhateverItSays) {
  const Instance instance =
      parse_instance(samples::matrix("UPPER_DIAG_ROW", "9999 1 2 3 -1 4 5 9999 6 9999\n"), "file");
  for (int node = 0; node < 4; ++node) EXPECT_EQ(instance.matrix[node * 5], 0);
}

TEST(Tsplib, ReadsCvrpWithTheDepotAnywhere) {
  const Instance instance = parse_instance(samples::vrp(), "file");
  EXPECT_EQ(instance.kind, ProblemKind::cvrp);
  EXPECT_EQ(instance.capacity, 10);
  EXPECT_EQ(instance.depot, 1);
  EXPECT_EQ(instance.customers(), 3);
  EXPECT_EQ(instance.demand, (std::vector<double>{3, 0, 4, 5}));
}

TEST(Tsplib, ReadsFixedEdges) {
  const std::vector<std::pair<int, int>> expected = {{3, 0}, {1, 2}};
  const auto edges = [](const std::string& text) { return parse_instance(text, "file").fixed_edges; };
  for (const char* section : {"4 1\n2 3\n-1\n", "4 1\n2 3\n", "4 1\n\n 2\t3 \n -1\n"})
    EXPECT_EQ(edges(samples::fixed_edges(section)), expected) << section;
  const std::string euc = samples::tsp("EUC_2D", plane);
  EXPECT_EQ(edges(replaced(euc, "EOF\n", "FIXED_EDGES:\n4 1\n2 3")), expected) << "up to the end of the file";
  EXPECT_TRUE(edges(samples::fixed_edges("-1\n")).empty());
  EXPECT_EQ(edges(samples::fixed_edges("4 1\n2 3\n1 2\n-1\n")).size(), 3u) << "a path through all nodes";
}

TEST(Tsplib, RefusesFixedEdgesThatNoTourHas) {
  const auto error = [](const std::string& edges) { return instance_error(samples::fixed_edges(edges)); };
  EXPECT_EQ(error("1 2\n3 5\n"), "file:8: expected the other node of a fixed edge, an integer from 1 to 4, found '5'");
  EXPECT_EQ(error("1 2\n0 3\n"), "file:8: expected a node of a fixed edge or -1, an integer from 1 to 4, found '0'");
  EXPECT_EQ(error("1 2.5\n"), "file:7: expected the other node of a fixed edge, an integer from 1 to 4, found '2.5'");
  EXPECT_EQ(error("1\n2\n"), "file:7: expected the other node of a fixed edge, found the end of the line");
  EXPECT_EQ(error("1 2 3\n"), "file:7: expected the end of the line, found '3'");
  EXPECT_EQ(error("1 2\n3 3\n"), "file:8: a fixed edge joins node 3 to itself");
  EXPECT_EQ(error("1 2\n3 4\n2 1\n"), "file:9: the edge of nodes 2 and 1 is fixed twice");
  EXPECT_EQ(error("1 2\n2 3\n4 2\n"), "file:9: node 2 has three fixed edges, expected two at most");
  EXPECT_EQ(error("1 2\n2 3\n3 1\n"), "file:9: the fixed edge of nodes 3 and 1 closes a cycle, expected chains");
  EXPECT_EQ(error("1 2\n-1\nFIXED_EDGES\n2 3\n-1\n"), "file:9: there was a section of fixed edges before");
  EXPECT_EQ(error("1 2\n-1\nFIXED_EDGES_SECTION\n"), "file:9: FIXED_EDGES_SECTION was given before in line 6");
  EXPECT_NE(instance_error("FIXED_EDGES_SECTION\n1 2\n").find("expected DIMENSION before"), std::string::npos);
}

TEST(Tsplib, SpellingsOfTheSameFile) {
  const std::string text = samples::vrp();
  const Instance expected = parse_instance(text, "file");
  std::string crlf, indented = "\n \t\n  ", tight, bare;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    crlf += c == '\n' ? "\r\n" : std::string(1, c);
    indented += c == '\n' ? " \t\n\n   " : std::string(1, c);
  }
  tight = text;
  bare = text;
  for (std::size_t at; (at = tight.find(" : ")) != std::string::npos;) tight.replace(at, 3, 1, ':');
  for (std::size_t at; (at = bare.find(" : ")) != std::string::npos;) bare.replace(at, 3, 1, ' ');
  std::string old_mac = text;
  for (char& c : old_mac) c = c == '\n' ? '\r' : c;
  const std::string no_eof = text.substr(0, text.find("EOF"));
  const std::string no_terminator = text.substr(0, text.find("-1"));
  const std::string marked = "\xef\xbb\xbf" + text;
  const std::string shuffled = replaced(text, "1 3\n2 0\n3 4\n4 5\n", "3 4\n4 5\n2 0\n1 3\n");
  const std::string trailing = text + "anything \x01 at all";
  for (const auto& variant :
       {crlf, indented, tight, bare, old_mac, no_eof, no_terminator, marked, shuffled, trailing}) {
    SCOPED_TRACE(variant);
    expect_same_file(parse_instance(variant, "file"), expected);
  }
}

TEST(Tsplib, RemarkBehindTheTypeAndSeveralComments) {
  std::string text = replaced(samples::tsp("EUC_2D", plane), "TYPE: TSP", "TYPE: TSP (by someone)");
  text = replaced(text, "COMMENT: four nodes\n", "COMMENT: a\nCOMMENT:\nCOMMENT: b\xff\n");
  const Instance instance = parse_instance(text, "file");
  EXPECT_EQ(instance.comment, "a\n\nb?");
  expect_same_file(parse_instance(write_instance(instance), "file"), instance);
}

TEST(Tsplib, UnknownKeywordsWarnOnceEach) {
  const std::string text = "AUTHOR: 3\nCOLOR\n1 red\n-1\nAUTHOR: 4\nSERVICE_TIME: 0\n" + samples::tsp("EUC_2D", plane);
  std::vector<std::string> warnings;
  parse_instance(text, "file", [&](const std::string& warning) { warnings.push_back(warning); });
  ASSERT_EQ(warnings.size(), 2u);
  EXPECT_EQ(warnings[0], "file:1: the keyword 'AUTHOR' is not known and ignored");
  EXPECT_EQ(warnings[1], "file:2: the keyword 'COLOR' is not known and ignored");
  EXPECT_NO_THROW(parse_instance(text, "file"));
}

TEST(Tsplib, WhatMayConstrainIsHonouredOrRefused) {
  const auto with = [](const std::string& line) { return replaced(samples::vrp(), "CAPACITY", line + "\nCAPACITY"); };
  for (const std::string line :
       {"VEHICLES_MAX_DISTANCE: 100", "VEHICLES_MAX_DURATION: 5", "SERVICE_TIME: 3", "LINEHAUL_SECTION\n1",
        "VEHICLES_DEPOT_SECTION\n1 1", "SALESMEN: 2", "MAX_CUSTOMERS: 5", "MUTUALLY_EXCLUSIVE_GROUP_SECTION\n1 2",
        "linehaul_section\n1", "Time_Window_Section\n1 0 9", "Max_Distance: 9", "SHIFT: 8", "DRIVERS: 2", "PERIODS: 5",
        "vehicles: 0", "VEHICLES: 0", "VEHICLES: many", "VEHICLES: 2\nVEHICLES: 2", "DISTANCE: 20"})
    EXPECT_THROW(parse_instance(with(line), "file"), InputError) << line;
  const Instance bounded = parse_instance(with("VEHICLES: 3"), "file");
  EXPECT_EQ(bounded.vehicles, 3);
  EXPECT_EQ(parse_instance(write_instance(bounded), "file").vehicles, 3);
  EXPECT_EQ(parse_instance(with("vehicles: 3"), "file").vehicles, 3) << "letters of either case";
  EXPECT_EQ(parse_instance(samples::vrp(), "file").vehicles, 0);
  EXPECT_THROW(parse_instance("VEHICLES: 1\n" + samples::tsp("EUC_2D", plane), "file"), InputError);
}

TEST(Tsplib, ManyUnknownKeywordsAreNotAllReported) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "WORD" + std::to_string(i) + "\n";
  int warnings = 0;
  parse_instance(text + samples::tsp("EUC_2D", plane), "file", [&](const std::string&) { ++warnings; });
  EXPECT_LT(warnings, 50);
}

TEST(Tsplib, WritesWhatItReads) {
  for (const auto& sample : samples::instances()) {
    SCOPED_TRACE(sample.name);
    const Instance instance = parse_instance(sample.text, "file");
    expect_same_file(parse_instance(write_instance(instance), "again"), instance);
  }
}

TEST(Tsplib, WritesNumbersThatReadBackExactly) {
  Instance instance = parse_instance(samples::tsp("EXACT_2D", plane), "file");
  instance.coordinates = {{0.1, 1.0 / 3}, {1e-300, 123456789012.0}, {-0.0, 5e11 + 0.5}, {2.5e-8, 7}};
  expect_same_file(parse_instance(write_instance(instance), "again"), instance);
}

TEST(Tsplib, ErrorsNameFileLineAndExpectation) {
  const std::string euc = samples::tsp("EUC_2D", plane);
  EXPECT_EQ(instance_error(replaced(euc, "2 3 4", "2 3 x4")),
            "file:8: expected a y coordinate, a number from -1e+12 to 1e+12, found 'x4'");
  EXPECT_EQ(instance_error(replaced(euc, "2 3 4", "2 3")),
            "file:8: expected a y coordinate, found the end of the line");
  EXPECT_EQ(instance_error(replaced(euc, "2 3 4", "2 3 4 5")), "file:8: expected the end of the line, found '5'");
  EXPECT_EQ(instance_error(replaced(euc, "2 3 4", "1 3 4")), "file:8: node 1 is given twice in this section");
  EXPECT_EQ(instance_error(replaced(euc, "2 3 4", "5 3 4")),
            "file:8: expected a node number, an integer from 1 to 4, found '5'");
  EXPECT_EQ(instance_error(replaced(euc, "4 1e1 7\n", "")),
            "file:10: expected 1 nodes in this section after the first 3, found 'EOF'");
  EXPECT_EQ(instance_error(replaced(euc, "TYPE: TSP\n", "TYPE: TSP\nTYPE: TSP\n")),
            "file:4: TYPE was given before in line 3");
  EXPECT_EQ(instance_error(replaced(euc, "NAME", "\x02NAME")), "file:1: expected a keyword, found '\\x02NAME:'");
}

TEST(Tsplib, RefusesUnusableNumbers) {
  for (const char* bad : {"nan", "inf", "-inf", "1e13", "1e999", "1,5", "--1", "0x1"}) {
    EXPECT_NE(instance_error(samples::tsp("EUC_2D", replaced(plane, "3 4", std::string("3 ") + bad))), "") << bad;
    EXPECT_NE(instance_error(samples::matrix("UPPER_ROW", std::string("1 2 3 4 5 ") + bad + "\n")), "") << bad;
    EXPECT_NE(instance_error(replaced(samples::vrp(), "3 4\n", std::string("3 ") + bad + "\n")), "") << bad;
    EXPECT_NE(instance_error(replaced(samples::vrp(), "CAPACITY : 10", std::string("CAPACITY : ") + bad)), "") << bad;
  }
  EXPECT_NE(instance_error(samples::matrix("UPPER_ROW", "1 2 3 4 5 -6\n")), "");
  EXPECT_NE(instance_error(replaced(samples::vrp(), "4 5\n", "4 -5\n")), "");
  const std::string above = instance_error(replaced(samples::vrp(), "4 5\n", "4 11\n"));
  EXPECT_NE(above.find(": node 4: a demand of 11, above the capacity 10"), std::string::npos) << above;
  EXPECT_NE(instance_error(replaced(samples::vrp(), "CAPACITY : 10", "CAPACITY : 0")), "");
}

TEST(Tsplib, RefusesWhatItCannotHonour) {
  const std::string euc = samples::tsp("EUC_2D", plane);
  const std::string vrp = samples::vrp();
  const auto expect_refusal = [](const std::string& text, const std::string& part) {
    EXPECT_NE(instance_error(text).find(part), std::string::npos) << instance_error(text);
  };
  expect_refusal(replaced(euc, "TYPE: TSP", "TYPE: ATSP"), "asymmetric");
  expect_refusal(replaced(euc, "TYPE: TSP", "TYPE: HCP"), "not supported");
  expect_refusal(replaced(euc, "EUC_2D", "XRAY1"), "not supported, expected one of EUC_2D, ");
  const std::string fixed = "FIXED_EDGES_SECTION\n1 2\n-1\n";
  const std::string late = replaced(replaced(vrp, "TYPE : CVRP\n", ""), "EOF", fixed + "TYPE : CVRP\nEOF");
  for (const std::string& text : {replaced(vrp, "DEMAND", fixed + "DEMAND"), late})
    expect_refusal(text, "(fixed edges) is not supported for TYPE CVRP, only for TYPE TSP");
  expect_refusal(replaced(vrp, "CAPACITY", "DISTANCE : 200\nCAPACITY"), "limit on the length of routes");
  expect_refusal(replaced(vrp, "2\n-1", "2\n3\n-1"), "several depots are not supported");
  expect_refusal(replaced(vrp, "2 0\n", "2 1\n"), "a demand of 1 at the depot, expected 0");
  expect_refusal(replaced(vrp, "CVRP", "TSP"), "CAPACITY has no meaning for TYPE TSP");
  expect_refusal(samples::matrix("FULL_MATRIX", "0 1 2 3\n1 0 4 5\n2 4 0 6\n3 5 7 0\n"), "asymmetric");
  expect_refusal(samples::matrix("DIAGONAL", "1 2 3\n"), "EDGE_WEIGHT_FORMAT 'DIAGONAL' is not known");
}

/// What a keyword means may depend on others behind it, so that it is judged at the end of the file.
TEST(Tsplib, RefusalsNameTheLineOfTheKeyword) {
  const std::string euc = samples::tsp("EUC_2D", plane);
  const std::string vrp = samples::vrp();
  const std::string services = "SERVICE_TIME_SECTION\n1 1\n2 1\n3 1\n4 1\n";
  const std::string fixed = "FIXED_EDGES\n1 2\n-1\n";
  const std::string no_windows = "service times without a TIME_WINDOW_SECTION are not supported";
  EXPECT_EQ(instance_error(replaced(euc, "TYPE", "CAPACITY: 9\nTYPE")), "file:3: CAPACITY has no meaning for TYPE TSP");
  EXPECT_EQ(instance_error(replaced(vrp, "TYPE", "SERVICE_TIME: 10\nTYPE")), "file:3: " + no_windows);
  EXPECT_EQ(instance_error(replaced(vrp, "DEMAND_", services + "DEMAND_")), "file:12: " + no_windows);
  EXPECT_EQ(instance_error(replaced(euc, "NODE_", services + "NODE_")), "file:6: " + no_windows);
  EXPECT_EQ(instance_error(replaced(replaced(vrp, "TYPE : CVRP\n", ""), "DEMAND_", fixed + "TYPE : CVRP\nDEMAND_")),
            "file:11: FIXED_EDGES_SECTION (fixed edges) is not supported for TYPE CVRP, only for TYPE TSP");
  const std::string alone =
      "DIMENSION: 1\nTYPE: CVRP\nCAPACITY: 1\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n1 0 0\n"
      "DEMAND_SECTION\n1 0\nDEPOT_SECTION\n1\n";
  EXPECT_EQ(instance_error(alone), "file:1: expected a DIMENSION of at least 2: the depot and a customer");
}

TEST(Tsplib, NamesWhatIsMissing) {
  const std::string vrp = samples::vrp();
  for (const std::string key : {"TYPE", "DIMENSION", "EDGE_WEIGHT_TYPE", "CAPACITY"}) {
    const std::string error = instance_error(replaced(vrp, "\n" + key + " :", "\nNOTE :"));
    EXPECT_NE(error.find("expected " + key), std::string::npos) << error;
  }
  for (const std::string key : {"NODE_COORD_SECTION", "DEMAND_SECTION", "DEPOT_SECTION"}) {
    const std::size_t begin = vrp.find(key), end = vrp.find_first_of("NDE", begin + key.size());
    const std::string error = instance_error(vrp.substr(0, begin) + vrp.substr(end));
    EXPECT_NE(error.find("expected " + key), std::string::npos) << error;
    EXPECT_NE(instance_error(replaced(vrp, key, "X_" + key)).find("may constrain"), std::string::npos)
        << "a slip of the pen";
  }
  EXPECT_NE(instance_error(""), "");
}

TEST(Tsplib, SizesAreBoundedByTheFile) {
  // Each of these would need far more memory than any machine has if the numbers were believed.
  for (const char* size : {"2000000000", "99999999999999999999", "0", "-4", "4.0"}) {
    for (const auto& sample : samples::instances()) {
      const std::string spaced =
          sample.text.find("DIMENSION : 4") != std::string::npos ? "DIMENSION : " : "DIMENSION: ";
      EXPECT_NE(instance_error(replaced(sample.text, spaced + "4", spaced + size)), "") << sample.name;
    }
  }
  // Here the size is smaller than the file and its square is not.
  std::string large = samples::matrix("FULL_MATRIX", "0 1 2\n");
  large = replaced(large, "DIMENSION : 4", "DIMENSION : 1000000") + std::string(2'000'000, ' ');
  EXPECT_NE(instance_error(large).find("the rest of the file can hold"), std::string::npos);
}

}  // namespace
}  // namespace neuopt
