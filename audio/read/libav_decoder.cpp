// libavformat and libavcodec, for what libsndfile does not read: m4a, mp4, webm, wma, mp3, ...
// One audio stream is decoded, the others are skipped.
#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cmath>
#include <new>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "audio/read/container_gaps.h"
#include "audio/read/decoder.h"
#include "audio/read/error.h"
#include "audio/read/libav_handles.h"

namespace wnpu::audio {
namespace {

// Containers that hold audio by itself. Playlists (hls, dash, concat) are left out on purpose: they
// would open other files and addresses.
constexpr const char* kContainerNames =
    "aac,ac3,adx,aiff,amr,ape,aptx,asf,ast,au,avi,caf,dts,dv,eac3,flac,flv,g722,gsm,gxf,ircam,loas,"
    "matroska,webm,mlp,mmf,mov,mp4,m4a,3gp,3g2,mj2,mp3,mpc,mpc8,mpeg,mpegts,mxf,nut,ogg,rm,rso,sbc,"
    "shn,sox,tak,truehd,tta,voc,w64,wav,wtv,wv,xwma";

// GXF's demuxer says so where the file ends, which is no error's number.
constexpr int kNoMorePackets = -1;

constexpr int kIoBytes = 1 << 15;

// A decoded length may fall short of the header's by this: encoder delay and padding.
constexpr double kSlackSeconds = 0.25;
constexpr double kRoundingSeconds = 0.05;  // of a container's times

std::optional<double> seconds(std::int64_t time, const AVStream& stream) {
  if (time == AV_NOPTS_VALUE || time <= 0) return std::nullopt;
  return static_cast<double>(time) * av_q2d(stream.time_base);
}

// A file may not make libav open another one.
int refuse_to_open(AVFormatContext*, AVIOContext**, const char*, int, AVDictionary**) {
  return AVERROR(EACCES);
}

class LibavDecoder final : public Decoder {
 public:
  explicit LibavDecoder(const InputFile& file, std::vector<std::string> warnings = {})
      : stream_(std::make_unique<ByteStream>(ByteStream{file.duplicate()})),
        is_told_cut_(!warnings.empty()),
        warnings_(std::move(warnings)) {
    open_container();
    if (refusal_.empty()) open_codec();
    if (format_ && stream_index_ < 0 && may_have_sound()) look_further();
    stream_->file.check();
    if (!refusal_.empty()) return;
    const AVCodecParameters& parameters = *format_->streams[stream_index_]->codecpar;
    info_ = {format_->iformat->name, parameters.ch_layout.nb_channels, parameters.sample_rate};
    // The first frame knows better than the header (AAC with implicit SBR doubles the rate).
    if (next_frame()) {
      info_.channels = frame_->ch_layout.nb_channels;
      info_.sample_rate = frame_->sample_rate;
      has_frame_ = true;
    } else if (damaged_packets_ > 0) {
      refusal_ = "no packet of its audio stream can be decoded";
      return;
    }
    check_info(info_, file.name());
  }

  const std::string& refusal() const { return refusal_; }

  // False below the score at which libav would rather see more of the file: noise that resembles
  // MP3, or a name that says more than the bytes.
  bool is_certain() const { return format_->probe_score >= AVPROBE_SCORE_RETRY; }
  std::size_t damaged_packets() const { return damaged_packets_; }

  const PcmInfo& info() const override { return info_; }
  const std::vector<std::string>& warnings() const override { return warnings_; }

  PcmBlock next() override {
    // The first frame was decoded with the header.
    const bool found = has_frame_ || next_frame();
    has_frame_ = false;
    if (!found) {
      finish();
      return {};
    }
    const std::optional<double> begin_s = this->begin_s();
    decoded_s_ += static_cast<double>(frame_->nb_samples) / frame_->sample_rate;
    const AVChannelLayout& layout = frame_->ch_layout;
    const bool is_named = layout.order == AV_CHANNEL_ORDER_NATIVE &&
                          std::popcount(layout.u.mask) == layout.nb_channels;
    return {{frame_->format, layout.nb_channels, frame_->sample_rate, is_named ? layout.u.mask : 0},
            static_cast<std::size_t>(frame_->nb_samples),
            frame_->extended_data,
            begin_s};
  }

  // Limits of gaps; empty if the container stores no times, or they are not wanted.
  std::optional<GapLimits> gaps() const {
    return stream_->file.container_times() ? gap_limits(*format_) : std::nullopt;
  }

 private:
  void open_container(std::int64_t look_s = 0, std::int64_t look_bytes = 0);
  bool may_have_sound() const;
  void look_further();
  void choose_stream();
  void open_codec();
  bool next_frame();
  void send_packet();
  int read_packet();
  std::optional<double> header_s() const;
  double container_s() const;
  std::optional<double> begin_s();
  bool is_chained();
  std::optional<std::string> truncation();
  void finish();

  void warn(const std::string& text) { warnings_.push_back(text); }

  std::unique_ptr<ByteStream> stream_;  // its address is known to libav
  std::unique_ptr<AVIOContext, FreeIo> io_;
  std::unique_ptr<AVFormatContext, FreeFormat> format_;
  std::unique_ptr<AVCodecContext, FreeCodec> codec_;
  std::unique_ptr<AVPacket, FreePacket> packet_;
  std::unique_ptr<AVFrame, FreeFrame> frame_;
  int stream_index_ = -1;
  bool flushed_ = false;
  std::size_t damaged_packets_ = 0;
  bool has_frame_ = false;  // one that was not yet handed out
  double decoded_s_ = 0;    // handed out
  std::optional<double> first_begin_s_;
  double last_end_s_ = 0;  // by the container
  std::optional<bool> is_chained_;
  // By the header, of each stream that it knows the length of.
  std::vector<std::optional<double>> header_s_;
  double last_packet_s_ = 0;  // the latest end of a packet of any stream that is read
  bool finished_ = false;
  PcmInfo info_;
  std::string refusal_;
  bool is_told_cut_;
  std::vector<std::string> warnings_;
};

void LibavDecoder::open_container(std::int64_t look_s, std::int64_t look_bytes) {
  auto* buffer = static_cast<unsigned char*>(check_memory(libav().av_malloc(kIoBytes)));
  io_.reset(check_memory(libav().avio_alloc_context(buffer, kIoBytes, 0, stream_.get(), read_bytes,
                                                    nullptr, seek_bytes)));
  AVFormatContext* format = check_memory(libav().avformat_alloc_context());
  format->pb = io_.get();
  format->io_open = refuse_to_open;
  if (look_s > 0) format->max_analyze_duration = look_s * AV_TIME_BASE;
  if (look_bytes > 0) format->probesize = look_bytes;
  AVDictionary* options = nullptr;
  libav().av_dict_set(&options, "format_whitelist", kContainerNames, 0);
  // Else libav decodes pictures and video too, to tell their sizes: a large cover takes a gigabyte.
  libav().av_dict_set(&options, "codec_whitelist", audio_codec_names().c_str(), 0);
  // The name helps to tell formats apart; bytes come from pb. It frees `format` where it fails.
  const int opened =
      libav().avformat_open_input(&format, stream_->file.name().c_str(), nullptr, &options);
  libav().av_dict_free(&options);
  check_memory(opened);
  if (opened < 0) {
    refusal_ = error_text(opened);
    return;
  }
  format_.reset(format);
  // Before libav makes estimates of those that the header has not. ASF gives every stream the
  // longest one's, and programs count in AVI what is not there of one that begins late.
  const std::string_view name = format_->iformat->name;
  for (unsigned i = 0; name != "asf" && name != "avi" && i < format_->nb_streams; ++i)
    header_s_.push_back(seconds(format_->streams[i]->duration, *format_->streams[i]));
  const int found = libav().avformat_find_stream_info(format_.get(), nullptr);
  check_memory(found);
  if (found < 0) refusal_ = error_text(found);
}

// Behind the few seconds that libav looks at, where no header tells all of it.
bool LibavDecoder::may_have_sound() const {
  const std::span streams(format_->streams, format_->nb_streams);
  return (format_->ctx_flags & AVFMTCTX_NOHEADER) != 0 ||
         std::ranges::any_of(streams, [](const AVStream* stream) {
           const AVCodecParameters& parameters = *stream->codecpar;
           return parameters.codec_type == AVMEDIA_TYPE_AUDIO && parameters.sample_rate == 0;
         });
}

// Second probe of the input, up to 600 s or 64 MiB of it: libav keeps all of that in memory.
void LibavDecoder::look_further() {
  constexpr std::int64_t kLookSeconds = 600;
  constexpr std::int64_t kLookBytes = std::int64_t{64} << 20;
  refusal_.clear();
  header_s_.clear();
  format_.reset();
  stream_->position = 0;
  open_container(kLookSeconds, kLookBytes);
  if (refusal_.empty()) open_codec();
}

// The track that was asked for, else the ffmpeg program's choice (its ffmpeg_opt.c; not that of
// av_find_best_stream): one that has packets, is marked as default, has most channels.
void LibavDecoder::choose_stream() {
  std::vector<int> tracks;
  for (unsigned i = 0; i < format_->nb_streams; ++i) {
    const bool is_audio = format_->streams[i]->codecpar->codec_type == AVMEDIA_TYPE_AUDIO;
    if (is_audio) tracks.push_back(static_cast<int>(i));
  }
  if (tracks.empty()) return;
  check_track(stream_->file, tracks.size());
  const auto score = [this](int index) {
    const AVStream& stream = *format_->streams[index];
    return std::tuple((stream.event_flags & AVSTREAM_EVENT_FLAG_NEW_PACKETS) != 0,
                      (stream.disposition & AV_DISPOSITION_DEFAULT) != 0,
                      stream.codecpar->ch_layout.nb_channels);
  };
  const auto worse = [&](int a, int b) { return score(a) < score(b); };
  const auto best = std::max_element(tracks.begin(), tracks.end(), worse);
  const auto& wanted = stream_->file.audio_track();
  stream_index_ = wanted ? tracks[*wanted] : *best;
  if (wanted || tracks.size() == 1) return;
  warn("found " + std::to_string(tracks.size()) + " audio tracks, took " +
       std::to_string(best - tracks.begin()) + " (--audio-track 0 to " +
       std::to_string(tracks.size() - 1) + " takes another)");
}

void LibavDecoder::open_codec() {
  choose_stream();
  const AVCodec* codec = nullptr;
  if (stream_index_ >= 0) {
    stream_index_ = libav().av_find_best_stream(format_.get(), AVMEDIA_TYPE_AUDIO, stream_index_,
                                                -1, &codec, 0);
  }
  if (stream_index_ < 0 || codec == nullptr) {
    refusal_ = std::string(format_->iformat->name) + " without an audio stream that it can decode";
    return;
  }
  // Packets of all streams are needed where only the container tells a length: they show whether
  // the file is cut short.
  const bool needs_all = !header_s() && container_s() > 0;
  for (unsigned i = 0; !needs_all && i < format_->nb_streams; ++i) {
    if (static_cast<int>(i) != stream_index_) format_->streams[i]->discard = AVDISCARD_ALL;
  }
  const AVStream& stream = *format_->streams[stream_index_];
  codec_.reset(check_memory(libav().avcodec_alloc_context3(codec)));
  int error = libav().avcodec_parameters_to_context(codec_.get(), stream.codecpar);
  codec_->pkt_timebase = stream.time_base;
  if (error >= 0) error = libav().avcodec_open2(codec_.get(), codec, nullptr);
  check_memory(error);
  if (error < 0) refusal_ = std::string(codec->name) + ": " + error_text(error);
  packet_.reset(check_memory(libav().av_packet_alloc()));
  frame_.reset(check_memory(libav().av_frame_alloc()));
}

// Decodes into frame_; false at the end. Damaged packets are counted and passed over, as ffmpeg
// does.
bool LibavDecoder::next_frame() {
  while (true) {
    const int received = libav().avcodec_receive_frame(codec_.get(), frame_.get());
    if (received >= 0 && frame_->nb_samples > 0) return true;
    if (received >= 0) continue;
    if (received == AVERROR_EOF) return false;
    check_memory(received);
    if (received != AVERROR(EAGAIN)) {
      ++damaged_packets_;
      if (flushed_) return false;
    }
    send_packet();
  }
}

int LibavDecoder::read_packet() {
  const int read = libav().av_read_frame(format_.get(), packet_.get());
  if (read == kNoMorePackets && io_->eof_reached != 0) return AVERROR_EOF;
  if (read < 0) return read;
  const AVStream& stream = *format_->streams[packet_->stream_index];
  if (const auto begin = seconds(packet_->pts, stream)) {
    last_packet_s_ =
        std::max(last_packet_s_, *begin + seconds(packet_->duration, stream).value_or(0));
  }
  return read;
}

// Hands the next packet of the stream to the codec, or tells it that there is none.
void LibavDecoder::send_packet() {
  int read = 0;
  while ((read = read_packet()) >= 0 && packet_->stream_index != stream_index_) {
    libav().av_packet_unref(packet_.get());
  }
  check_memory(read);
  if (read < 0) {
    if (read != AVERROR_EOF) warn("expected to read to its end, found: " + error_text(read));
    flushed_ = true;
    libav().avcodec_send_packet(codec_.get(), nullptr);
    return;
  }
  const int sent = libav().avcodec_send_packet(codec_.get(), packet_.get());
  libav().av_packet_unref(packet_.get());
  check_memory(sent);
  if (sent < 0) ++damaged_packets_;
}

std::optional<double> LibavDecoder::header_s() const {
  const auto index = static_cast<std::size_t>(stream_index_);
  return index < header_s_.size() ? header_s_[index] : std::nullopt;
}

// 0 where it proves nothing: guessed from the bit rate, or of an ASF, where libav uses a length
// only if the file is as large as its header says.
double LibavDecoder::container_s() const {
  const bool is_known = format_->duration != AV_NOPTS_VALUE &&
                        format_->duration_estimation_method == AVFMT_DURATION_FROM_STREAM &&
                        std::string_view(format_->iformat->name) != "asf";
  return is_known ? static_cast<double>(format_->duration) / AV_TIME_BASE : 0;
}

// Start time of the frame at hand, by the container; empty if unknown or not believed. In a chained
// Ogg each part begins at any time, counted at the first's rate.
std::optional<double> LibavDecoder::begin_s() {
  if (frame_->pts == AV_NOPTS_VALUE || !gaps()) return std::nullopt;
  const double time_s = static_cast<double>(frame_->pts) * av_q2d(codec_->pkt_timebase) -
                        static_cast<double>(format_->start_time) / AV_TIME_BASE;
  if (std::abs(time_s - decoded_s_) > kRoundingSeconds && is_chained()) return std::nullopt;
  if (!first_begin_s_) first_begin_s_ = time_s;
  last_end_s_ = time_s + static_cast<double>(frame_->nb_samples) / frame_->sample_rate;
  return time_s;
}

bool LibavDecoder::is_chained() {
  if (!is_chained_) {
    is_chained_ =
        std::string_view(format_->iformat->name) == "ogg" && is_chained_ogg(stream_->file);
  }
  return *is_chained_;
}

// The audio's own length counts, where the header has it: a video may be longer. Else the
// container's, which some stream must reach. That of a chained Ogg is its last part's.
std::optional<std::string> LibavDecoder::truncation() {
  const double declared_s = header_s().value_or(container_s());
  const double with_gaps_s = std::max(decoded_s_, last_end_s_ - first_begin_s_.value_or(0));
  const double found_s = header_s() ? with_gaps_s : std::max(with_gaps_s, last_packet_s_);
  if (found_s + kSlackSeconds >= declared_s || is_chained()) return std::nullopt;
  return "expected " + number_text(declared_s) + " s by the header, found " + number_text(found_s) +
         " s: the file is cut short or damaged";
}

void LibavDecoder::finish() {
  stream_->file.check();
  if (finished_) return;
  finished_ = true;
  if (damaged_packets_ > 0) {
    warn("expected sound packets, found " + std::to_string(damaged_packets_) +
         " damaged ones, which were left out");
  }
  const auto text = truncation();
  if (text && !is_told_cut_) warn(*text);
}

// Whether what libav takes the bytes for decodes: a FLAC without its beginning does, but for the
// frame that was cut; a text does not.
bool decodes(const InputFile& file) {
  constexpr std::size_t kTrialFrames = 32;
  LibavDecoder trial(file);
  std::size_t n_frames = 0;
  while (n_frames < kTrialFrames && trial.next().n_frames > 0) ++n_frames;
  return n_frames > 2 * trial.damaged_packets();
}

}  // namespace

Opened open_libav(const InputFile& file, const std::vector<std::string>& warnings) {
  auto decoder = std::make_unique<LibavDecoder>(file, warnings);
  if (!decoder->refusal().empty()) return {nullptr, decoder->refusal(), {}};
  if (!decoder->is_certain() && !decodes(file)) {
    return {nullptr, "nothing certain (at best " + decoder->info().format + ")", {}};
  }
  const auto gaps = decoder->gaps();
  if (!gaps) return {std::move(decoder), "", {}};
  return {fill_gaps(std::move(decoder), *gaps), "", {}};
}

}  // namespace wnpu::audio
