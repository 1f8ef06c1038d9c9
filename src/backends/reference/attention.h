// Synthesis attention (Syn-Att): node scores and positional scores of every pair, mixed by a small network.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "backends/reference/matrix.h"
#include "policy/model.h"

namespace neuopt::backends::reference {

/// One matrix for each head.
using HeadScores = std::vector<Matrix>;

/// Part `head` of a tensor whose first dimension counts the heads.
std::span<const float> head_part(std::span<const float> tensor, int head, int heads);

/// (N, N) scores of pairs of *positions*: (E Wq)(E Wk)^T with E the cyclic encoding. Constant for weights and N.
HeadScores positional_scores(const policy::Model& model, int nodes);

/// (N, N) scores of pairs of nodes (query, key), mixed, before the softmax. `name` is the tensors' prefix.
HeadScores mixed_scores(const policy::Model& model, const std::string& name, const Matrix& x,
                        const HeadScores& positional, std::span<const int> position);

/// Softmax of the mixed scores over the keys, times the values, times the output projection: (N, d).
Matrix synthesis_attention(const policy::Model& model, const std::string& name, const Matrix& x,
                           const HeadScores& positional, std::span<const int> position);

}  // namespace neuopt::backends::reference
