#include "app/serve/api.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "app/serve/http/api_error.h"
#include "app/serve/tables.h"
#include "app/system/url.h"

namespace wnpu::serve {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kModelsPath = "/v1/models/";
// The page has its script and style in it, one of its scripts as a blob, and asks nobody but this
// server.
constexpr const char* kPagePolicy =
    "default-src 'none'; script-src 'unsafe-inline' blob:; style-src 'unsafe-inline'; img-src "
    "'self' data:; media-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action "
    "'none'; frame-ancestors 'none'";

// A page of elsewhere may open a WebSocket wherever it likes: only its origin tells.
bool is_from_elsewhere(const RequestHead& head, const std::string& cors) {
  return !head.origin.empty() && cors != "*" && cors != head.origin &&
         head.origin != "http://" + head.host && head.origin != "https://" + head.host;
}

bool begins_upload(const RequestHead& head) {
  return head.is_chunked || head.content_length.value_or(0) > 0;
}

Answer upgrade_required() {
  Answer answer = answer_of(ApiError(426, "Upgrade: expected websocket", "", "upgrade_required"));
  answer.headers = {{"Upgrade", "websocket"}};
  return answer;
}

Json model_json(const std::string& name) {
  return {{"id", name}, {"object", "model"}, {"created", 0}, {"owned_by", "whisper-npu"}};
}

}  // namespace

struct Api::Route {
  std::string_view path;
  std::string_view method;
  Answer (*answer)(Api&);  // null: a transcription
  bool is_open = false;    // to those without a key as well
  Task task = Task::transcribe;
};

const std::vector<Api::Route>& Api::routes() {
  static const std::vector<Route> kRoutes = {
      {"/", "GET", [](Api& api) { return api.page(); }, true},
      {"/health", "GET", [](Api& api) { return api.health(); }, true},
      {"/livez", "GET", [](Api& api) { return api.health(); }, true},
      {"/readyz", "GET", [](Api& api) { return api.readiness(); }, true},
      {"/metrics", "GET", [](Api& api) { return api.metrics(); }},
      {"/openapi.json", "GET", [](Api& api) { return api.description(); }, true},
      {"/v1/models", "GET", [](Api& api) { return api.list_models(); }},
      {kRealtimePath, "GET", [](Api&) { return upgrade_required(); }},
      {"/v1/audio/transcriptions", "POST", nullptr},
      {"/v1/audio/translations", "POST", nullptr, false, Task::translate}};
  return kRoutes;
}

const Api::Route* Api::route_of(const std::string& path) {
  const std::string_view wanted =
      path.starts_with(kModelsPath) ? std::string_view("/v1/models") : path;
  const auto found = std::ranges::find(routes(), wanted, &Route::path);
  return found != routes().end() ? &*found : nullptr;
}

std::shared_ptr<Call> Api::begin(const RequestHead& head, const std::shared_ptr<Client>& client) {
  const Route* const route = route_of(head.path);
  if (route == nullptr) throw ApiError(404, head.path + ": no such path", "", "not_found");
  if (head.method == "OPTIONS" && !shared_.options.cors.empty()) {
    client->whole(answer_preflight(*route));
    return nullptr;
  }
  const auto key = route->is_open ? std::nullopt : authorize(head);
  const bool is_head = head.method == "HEAD" && route->method == "GET";
  if (head.method != route->method && !is_head) {
    const ApiError error(405, head.method + ": expected " + std::string(route->method), "",
                         "method_not_allowed");
    shared_.metrics.count_refusal(error);
    Answer answer = answer_of(error);
    answer.headers.emplace_back("Allow", route->method == "GET" ? "GET, HEAD" : route->method);
    client->whole(answer);
    return nullptr;
  }
  if (route->answer == nullptr) {
    return std::make_shared<TranscriptionCall>(shared_, head,
                                               TranscriptionCall::Kind{route->task, key}, client);
  }
  if (begins_upload(head)) throw ApiError(400, "body: expected none with " + head.method);
  const bool names_model = head.path.starts_with(kModelsPath);
  client->whole(names_model ? model(head.path) : route->answer(*this));
  return nullptr;
}

std::shared_ptr<Conversation> Api::converse(const RequestHead& head,
                                            const std::shared_ptr<TextClient>& client) {
  if (head.path != kRealtimePath) {
    throw ApiError(404, head.path + ": expected " + std::string(kRealtimePath) + " for WebSocket",
                   "", "not_found");
  }
  if (is_from_elsewhere(head, shared_.options.cors))
    throw ApiError(403, "Origin: expected this server's or that of --cors, found " + head.origin);
  if (is_draining_) throw ApiError(503, "the server is going to end", "", "draining");
  authorize(head);
  Models& models = shared_.models;
  const RealtimeModels realtime_models{
      .find = [&models](const std::string& asked) { return models.find(asked); },
      .use =
          [&models](const std::string& name, const RealtimeModels::Ready& ready) {
            models.use(
                name, [ready](const LoadedModelPtr& loaded, const std::exception_ptr& failure) {
                  ready(loaded ? std::shared_ptr<const Model>(loaded, &loaded->model) : nullptr,
                        failure);
                });
          }};
  const auto call = std::make_shared<RealtimeCall>(realtime_models, shared_.post, client);
  call->begin(head, shared_.realtime);
  std::erase_if(realtime_calls_, [](const auto& each) { return each.expired(); });
  realtime_calls_.push_back(call);
  return call;
}

void Api::drain() {
  is_draining_ = true;
  for (const auto& each : realtime_calls_)
    if (const auto call = each.lock()) call->drain();
}

bool Api::is_idle() const {
  return shared_.admission.n_inside() == 0 &&
         std::ranges::all_of(realtime_calls_, [](const auto& each) { return each.expired(); });
}

std::vector<std::pair<std::string, std::string>> Api::headers_for(const RequestHead& head) {
  std::vector<std::pair<std::string, std::string>> headers = {{"X-Request-Id", head.id}};
  const std::string& cors = shared_.options.cors;
  if (!cors.empty() && (cors == "*" || cors == head.origin)) {
    headers.emplace_back("Access-Control-Allow-Origin", cors);
    if (cors != "*") headers.emplace_back("Vary", "Origin");
  }
  return headers;
}

std::optional<std::size_t> Api::authorize(const RequestHead& head) {
  const std::string& sent = head.authorization;
  return shared_.keys.use(sent.empty() ? authorization_among(head.protocols) : sent,
                          std::chrono::system_clock::now());
}

void Api::refused(const RequestHead& head, const std::exception_ptr& failure) {
  const ApiError error = api_error_of(failure);
  shared_.metrics.count_refusal(error);
  shared_.log.failure(head.id, error, failure);
}

void Api::ended(const RequestHead& head, const Ended& end) {
  const Route* const route = route_of(head.path);
  shared_.metrics.count_answer(route != nullptr ? route->path : "other", end.status);
  shared_.log.ended(head, end);
}

Answer Api::answer_preflight(const Route& route) const {
  const std::string method(route.method);
  return {.status = 204,
          .headers = {{"Access-Control-Allow-Methods", method},
                      {"Access-Control-Allow-Headers", "Authorization, Content-Type"},
                      {"Access-Control-Max-Age", "600"}}};
}

Answer Api::page() {
  return {.type = "text/html; charset=utf-8",
          .body = std::string(kPage),
          .headers = {{"Content-Security-Policy", kPagePolicy},
                      {"X-Content-Type-Options", "nosniff"},
                      {"Referrer-Policy", "no-referrer"}}};
}

Answer Api::health() { return {.body = R"({"status":"ok"})"}; }

Answer Api::description() { return {.body = std::string(kOpenApi)}; }

Answer Api::readiness() {
  if (is_draining_) return answer_of(ApiError(503, "the server is going to end", "", "draining"));
  return health();
}

Answer Api::list_models() {
  Json models = Json::array();
  for (const std::string& name : shared_.models.names()) models.push_back(model_json(name));
  return {.body = Json{{"object", "list"}, {"data", models}}.dump()};
}

Answer Api::model(const std::string& path) {
  const std::string asked = path.substr(kModelsPath.size());
  const std::string name = app::percent_decoded(asked).value_or(asked);
  return {.body = model_json(shared_.models.find(name)).dump()};
}

Answer Api::metrics() {
  return {.type = "text/plain; version=0.0.4; charset=utf-8",
          .body = shared_.metrics.text({.load = shared_.models.load(),
                                        .n_inside = shared_.admission.n_inside(),
                                        .n_together = shared_.options.work.rows.n_together,
                                        .n_connections = n_connections_(),
                                        .n_models = shared_.models.n_loaded(),
                                        .spool_bytes = shared_.spool->used()})};
}

}  // namespace wnpu::serve
