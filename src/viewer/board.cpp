#include "viewer/board.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/text.h"

namespace neuopt::viewer {
namespace {

constexpr std::size_t kMaxVisits = 8192;  // kept for pages that come late; thinned out beyond

std::string event(std::string_view name, std::string_view json) {
  return fmt::format("event: {}\ndata: {}\n\n", name, json);
}

std::string number(double value) { return json_number(value, 10); }

/// What a page gets to know of a frame.
struct FrameNews {
  Frame frame;
  bool whole = false;  // the visits replace those that the page has
  std::vector<Visit> visits;
  bool new_best = false;
  std::vector<int> best;
};

std::string frame_json(const FrameNews& news) {
  std::string visits;
  for (const Visit& visit : news.visits)
    fmt::format_to(std::back_inserter(visits), "{}[{},{},{},{}]", visits.empty() ? "" : ",", visit.step,
                   number(visit.cost), number(visit.best), visit.feasible ? 1 : 0);
  const Frame& frame = news.frame;
  std::string json = fmt::format(
      R"({{"step":{},"cost":{},"best_cost":{},"violation":{:.6g},"k":{},"anchor":{},"tour":[{}],"before":[{}],)"
      R"("augmentations":{},"feasible_share":{:.6g},"steps_per_second":{:.6g},"seconds":{:.4f},"k_counts":[{}],)"
      R"("visits":[{}],"whole":{})",
      frame.step, number(frame.cost), number(frame.best_cost), frame.violation, frame.k, frame.anchor,
      fmt::join(frame.tour, ","), fmt::join(frame.before, ","), frame.augmentations, frame.feasible_share,
      frame.steps_per_second, frame.seconds, fmt::join(frame.k_counts, ","), visits, news.whole);
  if (news.new_best) json += fmt::format(R"(,"best":[{}])", fmt::join(news.best, ","));
  return json + "}";
}

/// [[nodes of a region], ...]
std::string regions_json(const std::vector<std::vector<int>>& regions) {
  std::string json;
  for (const std::vector<int>& region : regions)
    fmt::format_to(std::back_inserter(json), "{}[{}]", json.empty() ? "" : ",", fmt::join(region, ","));
  return "[" + json + "]";
}

}  // namespace

void Board::changed() {
  ++now_.change;
  condition_.notify_all();
}

void Board::show_instance(std::string json) {
  const std::lock_guard lock(mutex_);
  instance_ = std::move(json);
  ++now_.instance;
  run_.clear();
  best_.clear();
  take_regions({});
  phase_ = "ready";
  details_.clear();
  ++now_.state;
  changed();
}

void Board::begin_run(std::string json) {
  const std::lock_guard lock(mutex_);
  run_ = std::move(json);
  ++now_.run;
  frame_ = {};
  best_.clear();
  ++now_.best;
  take_regions({});
  visits_.clear();
  stride_ = 1;
  now_.visits = 0;
  ++now_.thinning;
  phase_ = "running";
  details_.clear();
  ++now_.state;
  changed();
}

void Board::keep_visits(const std::vector<Visit>& visits) {
  for (const Visit& visit : visits)
    if (visit.step % stride_ == 0) visits_.push_back(visit);
  while (visits_.size() > kMaxVisits) {
    stride_ *= 2;
    std::erase_if(visits_, [this](const Visit& visit) { return visit.step % stride_ != 0; });
    ++now_.thinning;
  }
}

void Board::show_frame(Frame frame, const std::vector<Visit>& visits, std::vector<int> new_best) {
  const std::lock_guard lock(mutex_);
  frame_ = std::move(frame);
  keep_visits(visits);
  if (!new_best.empty()) {
    best_ = std::move(new_best);
    ++now_.best;
  }
  changed();
}

void Board::take_regions(std::vector<std::vector<int>> regions) {
  if (regions.empty() && regions_.empty()) return;
  regions_ = std::move(regions);
  ++now_.regions;
}

void Board::show_regions(std::vector<std::vector<int>> regions) {
  const std::lock_guard lock(mutex_);
  take_regions(std::move(regions));
  changed();
}

void Board::show_speed(double steps_per_second) {
  const std::lock_guard lock(mutex_);
  speed_ = steps_per_second;
  ++now_.state;
  changed();
}

void Board::show_state(const std::string& phase, std::string details) {
  const std::lock_guard lock(mutex_);
  phase_ = phase;
  details_ = std::move(details);
  ++now_.state;
  changed();
}

bool Board::change_phase(const std::string& from, const std::string& to) {
  const std::lock_guard lock(mutex_);
  if (phase_ != from) return false;
  phase_ = to;
  ++now_.state;
  changed();
  return true;
}

std::vector<int> Board::best_tour() const {
  const std::lock_guard lock(mutex_);
  return best_;
}

void Board::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  condition_.notify_all();
}

std::string Board::news(Cursor& cursor, std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  condition_.wait_for(lock, patience, [&] { return closed_ || cursor.change != now_.change; });
  if (cursor.change == now_.change) return "";
  const bool new_instance = cursor.instance != now_.instance;
  const bool running = !run_.empty();
  const bool new_run = running && (new_instance || cursor.run != now_.run);
  const bool whole = new_run || cursor.thinning != now_.thinning;
  // Copied under the mutex, written out without it: the search never waits for text.
  const std::string instance = new_instance ? instance_ : "", run = new_run ? run_ : "";
  const std::string phase = phase_, details = details_;
  const double speed = speed_;
  const bool new_regions = new_run || cursor.regions != now_.regions;
  const std::vector<std::vector<int>> regions = new_regions ? regions_ : std::vector<std::vector<int>>();
  const bool new_state = cursor.state != now_.state;
  FrameNews news;
  if (running) {
    news.frame = frame_;
    news.whole = whole;
    news.visits.assign(visits_.begin() + static_cast<std::ptrdiff_t>(whole ? 0 : cursor.visits), visits_.end());
    news.new_best = new_run || cursor.best != now_.best;
    if (news.new_best) news.best = best_;
  }
  cursor = now_;
  cursor.visits = visits_.size();
  lock.unlock();

  std::string text;
  if (new_instance) text += event("instance", instance);
  if (new_run) text += event("run", run);
  if (running) text += event("frame", frame_json(news));
  if (new_regions && running) text += event("regions", regions_json(regions));
  if (new_state)
    text += event("state", fmt::format(R"({{"phase":"{}","speed":{},"details":{}}})", phase, number(speed),
                                       details.empty() ? "null" : details));
  return text;
}

}  // namespace neuopt::viewer
