// page.cjs URL RECORDING TEXT [FOLDER]: the page in a Chromium: a key, a file, a word that is played, downloads, a
// microphone that plays the recording. Pictures of it go to the folder.
const assert = require('assert');
const fs = require('fs');
const { chromium } = require('playwright-core');

const [url, recording, text, folder] = process.argv.slice(2);
const args = ['--no-sandbox', '--use-fake-ui-for-media-stream', '--use-fake-device-for-media-stream',
  `--use-file-for-fake-audio-capture=${recording}`];

async function use(page) {
  const picture = name => folder && page.screenshot({ path: `${folder}/${name}.png` });
  const wait = words => page.waitForFunction(each => document.getElementById('status').textContent.includes(each), words);
  await picture('start');
  await page.setInputFiles('#file', recording);
  await page.waitForSelector('#key:focus');
  await picture('key');
  await page.keyboard.type('sesame\n');
  await wait('Done in');
  assert.strictEqual((await page.textContent('#text')).trim(), text);
  for (const [format, words] of [['txt', 'ask what'], ['srt', '00:00:00,000 --> '], ['vtt', 'WEBVTT'], ['json', '"words"']]) {
    const [download] = await Promise.all([page.waitForEvent('download'), page.click(`[data-format=${format}]`)]);
    assert(fs.readFileSync(await download.path(), 'utf8').includes(words), format);
  }
  await page.focus('#text i');
  for (const key of ['ArrowRight', 'ArrowRight', 'Enter']) await page.keyboard.press(key);
  await page.waitForSelector('#text i.now');
  await picture('file');

  await page.click('#record');
  await page.waitForSelector('#record[aria-pressed=true]');
  await page.waitForFunction(() => document.getElementById('count').textContent === '0:12');
  await picture('microphone');
  await page.click('#record');
  await page.waitForFunction(() => document.body.className === 'shown');
  assert.strictEqual(await page.textContent('#status'), 'Recorded.', await page.textContent('#error'));
  assert.match(await page.textContent('#text'), /what you can do/);
  await picture('recorded');
  await page.click('#again');
  await wait('Done in');
  assert.match(await page.textContent('#text'), /what you can do/);
}

(async () => {
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args });
  const page = await browser.newPage({ acceptDownloads: true, permissions: ['microphone'] });
  const faults = [];
  page.setDefaultTimeout(120000);
  page.on('pageerror', error => faults.push(error.message));
  page.on('request', request => /^(blob|data):/.test(request.url()) || request.url().startsWith(url) || faults.push(request.url()));
  await page.goto(url);
  await use(page);
  assert.deepStrictEqual(faults, []);
  await browser.close();
})().catch(error => {
  console.error(error);
  process.exit(1);
});
