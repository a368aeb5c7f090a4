// Takes codes as fast as a scanner types them, and sends them when the network works. Without this script, Enter sends
// one code.

const place = document.querySelector('#scanning');
const form = place.querySelector('form');
const list = document.querySelector('#scans');
const said = document.querySelector('#said');

/** A scan can be undone until it is sent. */
const UNDO_MS = 3_000;
const MAX_SENT = 50;
const MAX_SHOWN = 200;

/** Each waiting scan has an entry of its own, so that two windows do not overwrite each other's. */
const PREFIX = `malote-scan-${place.dataset.owner}-`;
const BASE = `malote-scan-base-${place.dataset.owner}`;
const settings = ['status_code', 'city', 'state'];

/** Clocks of desks may be wrong, so the page tells the time of the service. */
const skew = Date.parse(place.dataset.now) - Date.now();

const waiting = new Map();
/** The code, status and base of each accepted scan, by the id of the scan. */
const taken = new Map();
let isSending = false;
/** True after a refusal. Nothing more is sent until a person uses the form again. */
let isRefused = false;

const nameOf = (scan) =>
  [scan.status_code, scan.city, scan.state, scan.code.toUpperCase().replace(/[\s.-]/g, '')].join();

/** Makes a version 4 UUID. crypto.randomUUID does not exist on plain HTTP. */
function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

const tones = { waiting: [880, 0.06], recorded: undefined, duplicate: [440, 0.2], refused: [180, 0.5] };
let audio;

function beep(outcome) {
  const [frequency, seconds] = tones[outcome] ?? [];
  if (!frequency || !globalThis.AudioContext) return;
  audio ??= new AudioContext();
  const [tone, volume] = [audio.createOscillator(), audio.createGain()];
  tone.frequency.value = frequency;
  volume.gain.value = 0.2;
  tone.connect(volume).connect(audio.destination);
  tone.start();
  tone.stop(audio.currentTime + seconds);
}

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

function show(scan, outcome) {
  const entry = element('li');
  Object.assign(entry.dataset, { id: scan.id, outcome });
  const stage = outcome === 'waiting' ? 'created' : 'processing';
  const chip = element('span', { className: `chip ${stage}` }, place.dataset[outcome]);
  const undo = element('button', { type: 'button', className: 'secondary' }, place.dataset.undo);
  undo.dataset.undo = scan.id;
  entry.append(chip, scan.code, ...(outcome === 'waiting' ? [undo] : []));
  list.prepend(entry);
  while (list.children.length > MAX_SHOWN) list.lastElementChild.remove();
}

/** Forgets a scan that was sent or undone. */
function forget(id) {
  waiting.delete(id);
  localStorage.removeItem(PREFIX + id);
}

function take(code) {
  const scan = { id: newId(), code, at: Date.now() + skew };
  for (const name of settings) scan[name] = form.elements[name].value.trim();
  const isDuplicate = [...taken.values()].includes(nameOf(scan));
  show(scan, isDuplicate ? 'duplicate' : 'waiting');
  beep(isDuplicate ? 'duplicate' : 'waiting');
  if (isDuplicate) return;
  localStorage.setItem(PREFIX + scan.id, JSON.stringify(scan));
  waiting.set(scan.id, scan);
  taken.set(scan.id, nameOf(scan));
}

/** The next scans to send: their time to undo is over, and they share one status and base. */
function nextBatch() {
  const due = [...waiting.values()].filter(({ at }) => Date.now() + skew - at >= UNDO_MS);
  const isLikeFirst = (scan) => settings.every((name) => scan[name] === due[0][name]);
  return due.filter(isLikeFirst).slice(0, MAX_SENT);
}

/** Replaces waiting entries of the list with the answered entries of the page. */
function showAnswered(page) {
  for (const entry of page.querySelectorAll('#scans > li')) {
    const { id, outcome } = entry.dataset;
    forget(id);
    if (outcome === 'refused') taken.delete(id);
    list.querySelector(`[data-id="${CSS.escape(id)}"]`)?.replaceWith(entry);
    beep(outcome);
  }
}

async function sendBatch(batch) {
  const body = new URLSearchParams(new FormData(form));
  body.delete('code');
  for (const name of settings) body.set(name, batch[0][name]);
  body.set('scans', batch.map(({ id, at, code }) => `${id} ${new Date(at).toISOString()} ${code}`).join('\n'));
  const answer = await fetch(form.action, { method: 'POST', body });
  if (answer.status >= 500 || answer.status === 429) throw new Error(`answered ${answer.status}`);
  isRefused = answer.redirected || !answer.ok;
  if (answer.redirected) return place.dataset.ended;
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  if (!answer.ok) return page.querySelector('.notice, main p')?.textContent ?? place.dataset.away;
  showAnswered(page);
  return '';
}

async function sendDue() {
  const batch = isSending || isRefused ? [] : nextBatch();
  if (batch.length === 0) return;
  isSending = true;
  try {
    said.textContent = await sendBatch(batch);
  } catch {
    // The service cannot be reached. The same scans will be sent again with the same ids.
    said.textContent = place.dataset.away;
  }
  isSending = false;
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  const { code } = form.elements;
  if (code.value.trim() !== '') take(code.value.trim());
  code.value = '';
  code.focus();
  isRefused = false;
});

form.addEventListener('change', () => {
  isRefused = false;
  localStorage.setItem(BASE, JSON.stringify(settings.map((name) => form.elements[name].value)));
});

list.addEventListener('click', ({ target }) => {
  const { undo } = target.dataset;
  if (!waiting.has(undo)) return;
  forget(undo);
  taken.delete(undo);
  target.closest('li').remove();
  form.elements.code.focus();
});

// Restores the status and base of the last visit, and the codes that still wait.
for (const [at, value] of JSON.parse(localStorage.getItem(BASE) ?? '[]').entries()) {
  form.elements[settings[at]].value ||= value;
}
for (const [key, text] of Object.entries(localStorage)) {
  if (!key.startsWith(PREFIX)) continue;
  const scan = JSON.parse(text);
  waiting.set(scan.id, scan);
  taken.set(scan.id, nameOf(scan));
  show(scan, 'waiting');
}
setInterval(sendDue, 500);
