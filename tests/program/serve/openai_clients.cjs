// openai_clients.cjs RECORDING TEXT: each endpoint and format by OpenAI's client for Node, live speech too; where the
// server is says OPENAI_BASE_URL.
const assert = require('assert');
const { execFileSync } = require('child_process');
const fs = require('fs');
const net = require('net');
const OpenAI = require('openai');
const { OpenAIRealtimeWS } = require('openai/realtime/ws');
const tls = require('tls');

const [recording, text] = process.argv.slice(2);
const client = new OpenAI({ maxRetries: 0 });
const transcribe = (options, by = client) =>
  by.audio.transcriptions.create({ file: fs.createReadStream(recording), model: 'tiny.en', ...options });

// A proxy with TLS, which this client's WebSockets want; resolves to its server.
const proxy = () => {
  const request = 'req -x509 -newkey rsa:2048 -nodes -keyout - -subj /CN=localhost -days 1'.split(' ');
  const pem = execFileSync('openssl', request, { stdio: ['ignore', 'pipe', 'ignore'] });
  const server = tls.createServer({ key: pem, cert: pem }, client => {
    const { hostname, port } = new URL(process.env.OPENAI_BASE_URL);
    const behind = net.connect(port, hostname);
    client.on('error', () => behind.destroy());
    behind.on('error', () => client.destroy());
    client.pipe(behind).pipe(client);
  });
  return new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve(server)));
};

// 24 kHz: each second sample of 16 kHz twice.
const samplesOf = wav => {
  const pcm = wav.subarray(wav.indexOf('data') + 8);
  const pieces = [];
  for (let at = 0; at + 4 <= pcm.length; at += 4) pieces.push(pcm.subarray(at, at + 4), pcm.subarray(at + 2, at + 4));
  return Buffer.concat(pieces);
};

const speakLive = async () => {
  const server = await proxy();
  const live = new OpenAI({ baseURL: `https://127.0.0.1:${server.address().port}/v1` });
  const talk = new OpenAIRealtimeWS({ model: 'tiny.en', options: { rejectUnauthorized: false } }, live);
  const said = new Promise((resolve, reject) => {
    talk.on('error', reject);
    talk.on('conversation.item.input_audio_transcription.completed', event => resolve(event.transcript));
  });
  await new Promise((resolve, reject) => talk.socket.on('open', resolve).on('error', reject));
  const format = { type: 'audio/pcm', rate: 24000 };
  const input = { format, transcription: { model: 'tiny.en' }, turn_detection: null };
  talk.send({ type: 'session.update', session: { type: 'transcription', audio: { input } } });
  const samples = samplesOf(fs.readFileSync(recording));
  for (let at = 0; at < samples.length; at += 24000)
    talk.send({ type: 'input_audio_buffer.append', audio: samples.subarray(at, at + 24000).toString('base64') });
  talk.send({ type: 'input_audio_buffer.commit' });
  assert.match((await said).toLowerCase(), /ask what you can do for your country/);
  talk.close();
  server.close();
};

(async () => {
  assert.deepStrictEqual((await client.models.list()).data.map(model => model.id), ['tiny.en']);
  assert.strictEqual((await transcribe()).text, text);
  assert.strictEqual((await transcribe({ response_format: 'text' })).trim(), text);
  assert.match(await transcribe({ response_format: 'srt' }), /^1\n00:00:00,000 --> /);
  assert.match(await transcribe({ response_format: 'vtt' }), /^WEBVTT\n\n00:00/);
  const verbose = await transcribe({ response_format: 'verbose_json', timestamp_granularities: ['word', 'segment'] });
  assert.deepStrictEqual(verbose.words.map(word => word.word), text.split(' '));
  let deltas = '', done = '';
  for await (const event of await transcribe({ stream: true })) {
    if (event.type === 'transcript.text.delta') deltas += event.delta;
    else done = event.text;
  }
  assert.deepStrictEqual([deltas, done], [text, text]);
  await assert.rejects(transcribe({ model: 'no-such' }), OpenAI.NotFoundError);
  await assert.rejects(transcribe({ response_format: 'docx' }), OpenAI.BadRequestError);
  const stranger = new OpenAI({ apiKey: 'wrong', maxRetries: 0 });
  await assert.rejects(transcribe({}, stranger), OpenAI.AuthenticationError);
  await speakLive();
})().catch(error => {
  console.error(error);
  process.exit(1);
});
