#include "app/serve/realtime/call.h"

#include <utility>

#include "app/serve/http/api_error.h"

namespace wnpu::serve {
namespace {

// The value behind "name=" in a query, as it stands there.
std::string value_in(std::string_view query, std::string_view name) {
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view pair = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    if (pair.starts_with(name) && pair.substr(name.size()).starts_with('=')) {
      return std::string(pair.substr(name.size() + 1));
    }
  }
  return {};
}

}  // namespace

RealtimeCall::RealtimeCall(RealtimeModels models, Post post, std::shared_ptr<TextClient> client)
    : models_(std::move(models)), post_(std::move(post)), client_(std::move(client)) {}

void RealtimeCall::begin(const RequestHead& head, RealtimeRoom& room) {
  const std::string intent = value_in(head.query, "intent");
  if (!intent.empty() && intent != "transcription") {
    throw ApiError(400, "intent: expected transcription, found " + intent, "intent");
  }
  settings_.model = models_.find(value_in(head.query, "model"));
  settings_.is_flat = head.openai_beta.find("realtime=v1") != std::string::npos;
  writer_ = std::make_shared<RealtimeWriter>("sess_" + head.id);
  const auto tell = [post = post_, client = std::weak_ptr(client_)](auto act) {
    post([client, act] {
      if (const auto there = client.lock()) act(*there);
    });
  };
  session_ =
      room.open(settings_, writer_,
                {.send =
                     [tell](const std::string& event) {
                       tell([event](TextClient& there) { there.send(event); });
                     },
                 .room = [tell] { tell([](TextClient& there) { there.read_on(); }); },
                 .ended =
                     [tell] {
                       tell([](TextClient& there) { there.close(1000, "the session has ended"); });
                     }});
  client_->send(writer_->session(settings_, true));
}

bool RealtimeCall::take(std::string_view text) {
  ClientEvent event;
  try {
    event = parse_client_event(text, settings_);
    return act_on(std::move(event));
  } catch (const EventError& error) {
    fail(std::make_exception_ptr<ApiError>(error), error.event_id);
  } catch (...) {
    fail(std::current_exception(), event.event_id);
  }
  return true;
}

bool RealtimeCall::act_on(ClientEvent event) {
  if (event.type == ClientEvent::Type::update) {
    event.settings.model = models_.find(event.settings.model);
    has_model_ = has_model_ && event.settings.model == settings_.model;
    settings_ = event.settings;
  }
  if (event.type != ClientEvent::Type::append || has_model_)
    return session_->take(std::move(event));
  if (event.audio.empty()) return true;
  load_for(std::make_shared<ClientEvent>(std::move(event)));
  return false;
}

// The first audio waits for its model; nothing is read before it has it.
void RealtimeCall::load_for(const std::shared_ptr<ClientEvent>& event) {
  models_.use(
      settings_.model, [self = shared_from_this(), event](const std::shared_ptr<const Model>& model,
                                                          const std::exception_ptr& failure) {
        const auto client = self->client_;
        if (!client) return;
        if (failure) {
          self->fail(failure, event->event_id);
          return client->close(1011, "the model cannot be loaded");
        }
        self->has_model_ = true;
        ClientEvent has_model{.type = ClientEvent::Type::model, .event_id = {}, .audio = {}};
        has_model.model = model;
        self->session_->take(std::move(has_model));
        if (!self->session_->take(std::move(*event))) return;
        // Not from within the reading of the event.
        self->post_([client] { client->read_on(); });
      });
}

void RealtimeCall::fail(const std::exception_ptr& failure, const std::string& event_id) {
  if (client_) client_->send(writer_->error(api_error_of(failure), event_id));
}

void RealtimeCall::client_left() {
  session_->end();
  client_.reset();
}

void RealtimeCall::drain() {
  session_->end();
  if (client_) client_->close(1001, "the server is going to end");
}

}  // namespace wnpu::serve
