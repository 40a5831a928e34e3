// A client of /v1/realtime: its texts to a live session, models as they are asked for.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "app/serve/http/exchange.h"
#include "app/serve/realtime/session.h"

namespace wnpu::serve {

inline constexpr std::string_view kRealtimePath = "/v1/realtime";

// The server's models.
struct RealtimeModels {
  using Ready = std::function<void(std::shared_ptr<const Model>, std::exception_ptr failure)>;

  // The name that a client's stands for. Throws ApiError.
  std::function<std::string(const std::string& asked)> find;
  // Calls `ready`, now or when the model is loaded.
  std::function<void(const std::string& name, Ready ready)> use;
};

class RealtimeCall final : public Conversation, public std::enable_shared_from_this<RealtimeCall> {
 public:
  RealtimeCall(RealtimeModels models, Post post, std::shared_ptr<TextClient> client);

  // Throws ApiError for a query that no session has, and where there are too many.
  void begin(const RequestHead& head, RealtimeRoom& room);
  bool take(std::string_view text) override;
  void client_left() override;
  // The server is going to end.
  void drain();

 private:
  bool act_on(ClientEvent event);
  void load_for(const std::shared_ptr<ClientEvent>& event);
  void fail(const std::exception_ptr& failure, const std::string& event_id);

  RealtimeModels models_;
  Post post_;
  std::shared_ptr<TextClient> client_;  // until it has left: nothing else holds it while it waits
  RealtimeSettings settings_;
  std::shared_ptr<RealtimeWriter> writer_;
  std::shared_ptr<RealtimeSession> session_;
  bool has_model_ = false;
};

}  // namespace wnpu::serve
