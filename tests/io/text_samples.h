// Small text files of every kind, made for the tests.
#pragma once

#include <string>
#include <vector>

#include "problem/instance.h"

namespace neuopt::samples {

struct Sample {
  std::string name;
  std::string text;
};

inline std::string tsp(const std::string& metric, const std::string& coordinates) {
  return "NAME: small\nCOMMENT: four nodes\nTYPE: TSP\nDIMENSION: 4\nEDGE_WEIGHT_TYPE: " + metric +
         "\nNODE_COORD_SECTION\n" + coordinates + "EOF\n";
}

inline std::string matrix(const std::string& format, const std::string& numbers) {
  return "NAME : table\nTYPE : TSP\nDIMENSION : 4\nEDGE_WEIGHT_TYPE : EXPLICIT\nEDGE_WEIGHT_FORMAT : " + format +
         "\nEDGE_WEIGHT_SECTION\n" + numbers + "EOF\n";
}

inline const std::string plane = "1 0 0\n2 3 4\n3 10.5 -2.25\n4 1e1 7\n";
inline const std::string space = "1 0 0 0\n2 1 2 2\n3 10 0 5\n4 -3 4.5 1\n";

/// A TSP of four nodes with a section of fixed edges.
inline std::string fixed_edges(const std::string& edges) { return tsp("EUC_2D\nFIXED_EDGES_SECTION\n" + edges, plane); }

inline std::string vrp() {
  return "NAME : hill\nCOMMENT : one van\nTYPE : CVRP\nDIMENSION : 4\nEDGE_WEIGHT_TYPE : EUC_2D\nCAPACITY : 10\n"
         "NODE_COORD_SECTION\n" +
         plane + "DEMAND_SECTION\n1 3\n2 0\n3 4\n4 5\nDEPOT_SECTION\n2\n-1\nEOF\n";
}

/// The same nodes with time windows; the depot opens at 5.
inline std::string vrptw(const std::string& type = "VRPTW", const std::string& metric = "EUC_2D") {
  return "NAME : market\nTYPE : " + type + "\nDIMENSION : 4\nVEHICLES : 3\nCAPACITY : 10\nSERVICE_TIME : 2.5\n" +
         "EDGE_WEIGHT_TYPE : " + metric + "\nNODE_COORD_SECTION\n" + plane +
         "DEMAND_SECTION\n1 3\n2 0\n3 4\n4 5\nTIME_WINDOW_SECTION\n1 10 20\n2 5 60\n3 0 30.5\n4 5 60\n" +
         "DEPOT_SECTION\n2\n-1\nEOF\n";
}

/// The same in Solomon's form, where the depot comes first and has number 0.
inline std::string solomon() {
  return "market\n\nVEHICLE\nNUMBER     CAPACITY\n  3         10\n\nCUSTOMER\n"
         "CUST NO.  XCOORD.  YCOORD.  DEMAND  READY TIME  DUE DATE  SERVICE TIME\n \n"
         "  0   3   4     0   5   60   0\n  1   0   0     3  10   20   2.5\n"
         "  2  10.5 -2.25 4   0   30.5 2.5\n  3  10   7     5   5   60   2.5\n";
}

/// One instance file of each kind, every metric and every matrix layout among them.
inline std::vector<Sample> instances() {
  std::vector<Sample> all;
  for (const char* metric :
       {"EUC_2D", "FLOOR_2D", "DIMACS_2D", "CEIL_2D", "MAN_2D", "MAX_2D", "GEO", "ATT", "EXACT_2D"}) {
    all.push_back({metric, tsp(metric, plane)});
  }
  for (const char* metric : {"EUC_3D", "MAN_3D", "MAX_3D"}) all.push_back({metric, tsp(metric, space)});
  const std::string upper = "1 2 3\n4 5\n6\n";
  const std::string lower = "1\n2 4\n3 5 6\n";
  const std::string upper_diagonal = "0 1 2 3\n0 4 5\n0 6\n0\n";
  const std::string lower_diagonal = "0\n1 0\n2 4 0\n3 5 6 0\n";
  all.push_back({"FULL_MATRIX", matrix("FULL_MATRIX", "0 1 2 3\n1 0 4 5\n2 4 0 6\n3 5 6 0\n")});
  all.push_back({"UPPER_ROW", matrix("UPPER_ROW", upper)});
  all.push_back({"LOWER_COL", matrix("LOWER_COL", upper)});
  all.push_back({"LOWER_ROW", matrix("LOWER_ROW", lower)});
  all.push_back({"UPPER_COL", matrix("UPPER_COL", lower)});
  all.push_back({"UPPER_DIAG_ROW", matrix("UPPER_DIAG_ROW", upper_diagonal)});
  all.push_back({"LOWER_DIAG_COL", matrix("LOWER_DIAG_COL", upper_diagonal)});
  all.push_back({"LOWER_DIAG_ROW", matrix("LOWER_DIAG_ROW", lower_diagonal)});
  all.push_back({"UPPER_DIAG_COL", matrix("UPPER_DIAG_COL", lower_diagonal)});
  all.push_back({"display", matrix("UPPER_ROW", upper + "DISPLAY_DATA_SECTION\n" + plane)});
  all.push_back({"fixed edges", fixed_edges("4 1\n2 3\n1 2\n-1\n")});
  all.push_back({"vrp", vrp()});
  all.push_back({"vrptw", vrptw()});
  return all;
}

inline const std::string routes = "Route #1: 1 2\nRoute #2: 3\nCost 41.5\n";
inline const std::string tour =
    "NAME: small.tour\nCOMMENT: Length = 30\nTYPE: TOUR\nDIMENSION: 4\nTOUR_SECTION\n1\n3\n2\n4\n-1\nEOF\n";

}  // namespace neuopt::samples
