// multipart/form-data as it comes: a body in pieces of any size -> its parts (RFC 7578, RFC 2046).
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace wnpu::serve {

// A body that is no multipart/form-data. what() says what was expected, and what was found.
struct MultipartError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct PartHead {
  std::string name;      // of the form's field
  std::string filename;  // as the client has it: for nothing but to be shown; empty: none
};

// Receiver of parts: begin, any number of pieces, end; then the next. What it throws passes through
// the parser, which then is at its end.
class PartTaker {
 public:
  virtual ~PartTaker() = default;
  virtual void begin_part(const PartHead& head) = 0;
  virtual void take_part(std::string_view bytes) = 0;
  virtual void end_part() = 0;
};

// Bytes of a part's header lines, and parts of a body.
inline constexpr std::size_t kMostPartHead = 8192;
inline constexpr std::size_t kMostParts = 256;

// The boundary in "multipart/form-data; boundary=...". Empty: another type, or no valid boundary.
std::string boundary_of(std::string_view content_type);

// A parser whose taker gets the same bytes however the body is cut into pieces. It keeps a part's
// header lines and no more.
class MultipartParser {
 public:
  MultipartParser(const std::string& boundary, PartTaker& taker);

  void take(std::string_view bytes);
  // The body is whole: throws MultipartError where its last boundary is missing.
  void finish() const;

 private:
  enum class State { preamble, body, behind_boundary, head, epilogue };

  std::size_t take_text(std::string_view bytes);  // up to the boundary; bytes that were used
  void take_behind_boundary(char byte);
  void take_head(char byte);
  void hand_over(std::string_view bytes);
  void end_boundary();
  void begin_part();

  PartTaker& taker_;
  std::string delimiter_;              // "\r\n--boundary"
  std::vector<std::size_t> failures_;  // of Knuth, Morris and Pratt's search for it
  State state_ = State::preamble;
  std::size_t matched_ = 2;  // of the delimiter; a body may begin with it, without a line before it
  std::string line_;         // behind a boundary, or header lines
  std::size_t n_parts_ = 0;
};

}  // namespace wnpu::serve
