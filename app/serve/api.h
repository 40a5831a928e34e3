// The endpoints: what each path and method does.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/serve/http/exchange.h"
#include "app/serve/realtime/call.h"
#include "app/serve/transcription_call.h"

namespace wnpu::serve {

class Api final : public Desk {
 public:
  // Counts of what HTTP knows, for /metrics.
  using NConnections = std::function<std::size_t()>;

  Api(Shared& shared, NConnections n_connections)
      : shared_(shared), n_connections_(std::move(n_connections)) {}

  std::shared_ptr<Call> begin(const RequestHead& head,
                              const std::shared_ptr<Client>& client) override;
  std::shared_ptr<Conversation> converse(const RequestHead& head,
                                         const std::shared_ptr<TextClient>& client) override;
  std::vector<std::pair<std::string, std::string>> headers_for(const RequestHead& head) override;
  void refused(const RequestHead& head, const std::exception_ptr& failure) override;
  void ended(const RequestHead& head, const Ended& end) override;

  // The number of the client's key; none where everybody may ask. Throws ApiError.
  std::optional<std::size_t> authorize(const RequestHead& head);
  void drain() override;
  bool is_idle() const override;

 private:
  struct Route;
  static const std::vector<Route>& routes();
  static const Route* route_of(const std::string& path);

  Answer answer_preflight(const Route& route) const;
  Answer page();
  Answer health();
  Answer description();
  Answer readiness();
  Answer list_models();
  Answer model(const std::string& path);
  Answer metrics();

  Shared& shared_;
  NConnections n_connections_;
  std::vector<std::weak_ptr<RealtimeCall>> realtime_calls_;
  bool is_draining_ = false;
};

}  // namespace wnpu::serve
