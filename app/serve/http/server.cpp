#include "app/serve/http/server.h"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <optional>
#include <sys/resource.h>
#include <vector>

#include "app/options/exit_code.h"
#include "app/serve/http/connection.h"
#include "app/serve/http/service_manager.h"

namespace wnpu::serve {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using BoostError = boost::system::error_code;

constexpr std::size_t kBackgroundThreads = 4;
constexpr std::chrono::milliseconds kTick{100};
constexpr int kTicksASecond = 10;
constexpr rlim_t kOtherDescriptors = 256;  // models, uploads, libraries

// As many connections as there may be descriptors.
std::size_t raise_descriptors(std::size_t wanted) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return wanted;
  limit.rlim_cur =
      std::min(limit.rlim_max, std::max<rlim_t>(limit.rlim_cur, 2 * wanted + kOtherDescriptors));
  ::setrlimit(RLIMIT_NOFILE, &limit);
  ::getrlimit(RLIMIT_NOFILE, &limit);
  const rlim_t room = limit.rlim_cur > 2 * kOtherDescriptors ? limit.rlim_cur - kOtherDescriptors
                                                             : limit.rlim_cur / 2;
  return std::min<std::size_t>(wanted, room);
}

}  // namespace

struct HttpServer::State {
  explicit State(const Limits& of)
      : limits(of), max_connections(raise_descriptors(of.connections)) {}

  void listen(const Place& place);
  void accept();
  void take(tcp::socket socket);
  void tick(const Run& run, int n);
  void drain();

  Limits limits;
  std::size_t max_connections;
  asio::io_context io{1};
  asio::thread_pool background{kBackgroundThreads};
  tcp::acceptor acceptor{io};
  asio::steady_timer timer{io};
  std::optional<HttpShared> shared;
};

void HttpServer::State::listen(const Place& place) {
  try {
    if (const std::optional<int> passed = passed_socket()) {
      acceptor.assign(tcp::v6(), *passed);  // of either kind: it is bound
      return;
    }
    const auto found =
        tcp::resolver(io).resolve(place.host, std::to_string(place.port), tcp::resolver::passive);
    const tcp::endpoint endpoint = *found.begin();
    acceptor.open(endpoint.protocol());
    acceptor.set_option(tcp::acceptor::reuse_address(true));
    acceptor.bind(endpoint);
    acceptor.listen(4096);
  } catch (const boost::system::system_error& error) {
    throw app::UsageError("--host, --port: expected to listen at " + place.host + " port " +
                          std::to_string(place.port) + ", found: " + error.code().message());
  }
}

void HttpServer::State::accept() {
  acceptor.async_accept([this](const BoostError& error, tcp::socket socket) {
    if (!acceptor.is_open()) return;
    if (!error) take(std::move(socket));
    if (!error || error == asio::error::connection_aborted) return accept();
    // No descriptor is free: one will be.
    const auto later = std::make_shared<asio::steady_timer>(io, kTick);
    later->async_wait([this, later](const BoostError&) {
      if (acceptor.is_open()) accept();
    });
  });
}

void HttpServer::State::take(tcp::socket socket) {
  if (shared->all.size() < max_connections) {
    return std::make_shared<HttpConnection>(std::move(socket), *shared)->start();
  }
  constexpr std::string_view kFull =
      "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n"
      "Retry-After: 10\r\n\r\n";
  BoostError ignored;
  socket.non_blocking(true, ignored);
  socket.write_some(asio::buffer(kFull.data(), kFull.size()), ignored);
}

void HttpServer::State::drain() {
  tell_manager("STOPPING=1");
  BoostError ignored;
  acceptor.close(ignored);
  shared->is_draining = true;
  shared->desk.drain();
  std::vector<std::shared_ptr<HttpConnection>> all;
  for (HttpConnection* each : shared->all) all.push_back(each->shared_from_this());
  for (const auto& each : all) each->drain();
}

void HttpServer::State::tick(const Run& run, int n) {
  if (run.stop_signal() != 0 && !shared->is_draining) drain();
  if (n % kTicksASecond == 0) run.each_second();
  if (shared->is_draining && shared->all.empty() && run.desk.is_idle()) return io.stop();
  timer.expires_after(kTick);
  timer.async_wait([this, &run, n](const BoostError&) { tick(run, n + 1); });
}

HttpServer::HttpServer(const Place& place, const Limits& limits)
    : state_(std::make_unique<State>(limits)) {
  state_->listen(place);
}

HttpServer::~HttpServer() { state_->background.join(); }

std::string HttpServer::address() const {
  const tcp::endpoint endpoint = state_->acceptor.local_endpoint();
  const std::string host = endpoint.address().to_string();
  return "http://" + (endpoint.address().is_v6() ? "[" + host + "]" : host) + ":" +
         std::to_string(endpoint.port());
}

Post HttpServer::post() const {
  return [io = &state_->io](std::function<void()> work) { asio::post(*io, std::move(work)); };
}

InBackground HttpServer::in_background() const {
  return [pool = &state_->background](std::function<void()> work) {
    asio::post(*pool, std::move(work));
  };
}

std::size_t HttpServer::n_connections() const {
  return state_->shared ? state_->shared->all.size() : 0;
}

void HttpServer::run(const Run& run) {
  state_->shared.emplace(HttpShared{run.desk, state_->limits});
  state_->accept();
  state_->tick(run, 0);
  state_->io.run();
}

}  // namespace wnpu::serve
