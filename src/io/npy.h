// numpy's .npy format, versions 1.0 to 3.0: one array.
#pragma once

#include <string>
#include <string_view>

#include "io/tensor.h"

namespace neuopt {

/// The array in `bytes`. Fortran order is turned into C order, big-endian into little-endian; other numpy types are
/// refused. Errors (InputError) start with `file`.
Tensor parse_npy(std::string_view bytes, const std::string& file);

/// The bytes of a .npy file, as numpy writes it. bf16 has no numpy type and is refused with InputError.
std::string format_npy(const Tensor& tensor);

}  // namespace neuopt
