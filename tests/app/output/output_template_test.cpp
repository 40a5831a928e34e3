#include "app/output/output_template.h"

#include <algorithm>
#include <random>

#include <doctest/doctest.h>

#include "app/options/exit_code.h"
#include "app/output/output_plan.h"
#include "tests/few_samples.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/text.h"

using namespace wnpu::app;
using wnpu::tests::TemporaryFolder;

namespace {

Options named(const std::string& text, std::vector<std::string> inputs = {"in/talk.wav"}) {
  Options options;
  options.inputs = std::move(inputs);
  options.output_template = text;
  options.formats = {Format::srt};
  return options;
}

std::string path(const Options& options, std::size_t number = 1) {
  return OutputTemplate(options)
      .path_of(options.inputs[number - 1], number, options.formats.front())
      .in("de")
      .string();
}

std::string template_refusal(const Options& options) {
  return wnpu::tests::message_of<UsageError>([&] {
    OutputTemplate names(options);
    names.path_of(options.inputs.front(), 1, options.formats.front());
  });
}

}  // namespace

TEST_CASE("output template: fields") {
  CHECK(path(named("{dir}/{stem}.{lang}.{ext}")) == "in/talk.de.srt");
  CHECK(path(named("{dir}/{name}.{ext}")) == "in/talk.wav.srt");
  CHECK(path(named("{model}/{task}-{n}.srt")) == "tiny.en/transcribe-1.srt");
  CHECK(path(named("{n}{{{stem}}}.{ext}", {"a.wav", "b.c.wav"}), 2) == "2{b.c}.srt");
  CHECK(path(named("{dir}/{stem}.{ext}", {"talk.wav"})) == "./talk.srt");
  CHECK(path(named("{dir}/{stem}.{ext}", {"/talk.wav"})) == "/talk.srt");
  CHECK(path(named("{dir}/{stem}.{ext}", {"-"})) == "./stdin.srt");
  CHECK(path(named("/srv/{stem}/x", {"a.wav"})) == "/srv/a/x");
  CHECK(path(named("{stem}.{lang}.{ext}", {"{lang}.wav"})) == "{lang}.de.srt");
  Options options = named("{model}.{lang}/{stem}");
  options.model = "/models/ggml-base.bin/";
  options.transcribe.language = "fr";
  options.transcribe.task = wnpu::Task::translate;
  CHECK(path(options) == "ggml-base.bin.fr/talk");
  options.output_template = "{task}";
  CHECK(path(options) == "translate");
  CHECK(OutputTemplate(named("{lang}")).path_of("a", 1, Format::srt).in("") == "und");
}

TEST_CASE("output template: below --output-dir, sub-folders of --recursive stay") {
  Options options = named("{stem}.{ext}", {"in/a/talk.wav"});
  options.output_dir = "out";
  CHECK(path(options) == "out/talk.srt");
  options.subfolders = {{"in/a/talk.wav", "a"}};
  CHECK(path(options) == "out/a/talk.srt");
}

TEST_CASE("output template: what makes no sense is refused") {
  CHECK(template_refusal(named("{stam}.srt")) ==
        "--output-template: there is no field {stam}; did you mean {stem}?");
  CHECK(template_refusal(named("{}.srt")).find("there is no field {}") != std::string::npos);
  for (const char* text : {"{stem", "stem}", "{", "}", "{{{", "a{b"}) {
    CHECK(template_refusal(named(text)).find("a brace") != std::string::npos);
  }
  CHECK(template_refusal(named("{stem}/")).find("expected a file's name") != std::string::npos);
  CHECK(template_refusal(named("a/{dir}/b")).find("stands in front") != std::string::npos);
  CHECK(template_refusal(named("{dir}")).find("stands in front") != std::string::npos);
  CHECK(template_refusal(named("x{dir}/b")).find("stands in front") != std::string::npos);
  CHECK(template_refusal(named("{lang}/b")).find("needs --language") != std::string::npos);
  Options two = named("{stem}.srt");
  two.formats = {Format::srt, Format::vtt};
  CHECK(template_refusal(two).find("need {ext}") != std::string::npos);
  Options below = named("{dir}/{stem}");
  below.output_dir = "out";
  CHECK(template_refusal(below).find("leave it out") != std::string::npos);
  below.output_template = "/x";
  CHECK(template_refusal(below).find("below --output-dir") != std::string::npos);
}

TEST_CASE("output template: no name of a recording or model leads out of its folder") {
  CHECK(template_refusal(named("{stem}/x", {"...wav"})).find("would give a folder called ..") !=
        std::string::npos);
  CHECK(template_refusal(named("{stem}./x", {"..wav"})).find("would give") != std::string::npos);
  Options options = named("{model}/x");
  options.model = "..";
  CHECK(template_refusal(options).find("would give") != std::string::npos);
  // Random names: as many slashes as the template has, and no way up.
  std::mt19937 random(4);
  const std::string letters = "./a{}\\ ~";
  for (std::size_t i = 0; i < 2000 / wnpu::tests::kSampleShare; ++i) {
    std::string input;
    for (std::size_t n = 1 + random() % 6; n > 0; --n) input += letters[random() % letters.size()];
    if (input.ends_with('/')) input += 'a';
    const Options random_name = named("out/{stem}/{name}.{lang}{stem}", {input});
    CAPTURE(input);
    if (!template_refusal(random_name).empty()) continue;
    const std::string result = path(random_name);
    CHECK(std::ranges::count(result, '/') == 2);
    CHECK(std::filesystem::path(result).lexically_normal().string().starts_with("out/"));
  }
}

TEST_CASE("output plan: a template's formats, folders and collisions") {
  const TemporaryFolder folder;
  const std::string a = folder.make_file("in/a.wav").string();
  const std::string b = folder.make_file("more/a.wav").string();
  const std::string at = folder.path().string() + "/";
  Options options = named("{dir}/{stem}.{ext}", {a, b});
  options.formats = {};
  CHECK(plan_outputs(options).front().targets.size() == kFormats.size() - 1);
  options.output_template = "{dir}/{stem}.vtt";
  CHECK(plan_outputs(options).front().targets.front().format == Format::vtt);
  options.output_template = at + "new/er/{n}-{stem}.vtt";
  CHECK(plan_outputs(options)[1].targets.front().path == at + "new/er/2-a.vtt");
  CHECK(std::filesystem::is_directory(at + "new/er"));
  options.output_template = at + "other/{stem}.{lang}.vtt";
  CHECK_THROWS_WITH_AS(plan_outputs(options), doctest::Contains("writes it too"), UsageError);
  CHECK_FALSE(std::filesystem::exists(at + "other"));
  options.output_template = "{dir}/{name}";
  CHECK_THROWS_WITH_AS(plan_outputs(options), doctest::Contains("it is an input"), UsageError);
}

TEST_CASE("output plan: a result whose language is not known is there in any language") {
  const TemporaryFolder folder;
  const std::string input = folder.make_file("a.wav").string();
  Options options = named("{dir}/{stem}.{lang}.{ext}", {input});
  const auto plan = plan_outputs(options);
  CHECK(plan.front().targets.front().in("de") == folder.path() / "a.de.srt");
  CHECK(plan.front().targets.front().in("") == folder.path() / "a.und.srt");
  folder.make_file("a.xx.srt");
  CHECK_NOTHROW(plan_outputs(options));
  folder.make_file("a.yue.srt");
  CHECK_THROWS_WITH_AS(plan_outputs(options), doctest::Contains("a.yue.srt: is there already"),
                       OutputError);
  options.existing = ExistingOutput::skip;
  CHECK(plan_outputs(options).front().is_skipped);
  options.existing = ExistingOutput::overwrite;
  CHECK_FALSE(plan_outputs(options).front().is_skipped);
  options.existing = ExistingOutput::refuse;
  options.transcribe.language = "de";
  CHECK(plan_outputs(options).front().targets.front().path == folder.path() / "a.de.srt");
}
