// Keeps an open tracking page up to date. Without this script, a person reloads the page.

const main = document.getElementById('main');
const notes = { live: document.getElementById('live'), reload: document.getElementById('reload') };
const RETRY_MS = 60_000;

/** Replaces the parts that changed. Unchanged parts stay, so that a screen reader does not read them again. */
async function refresh() {
  const answer = await fetch(location.href);
  if (answer.status === 404) return location.reload();
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html');
  for (const id of ['now', 'more']) {
    const [shown, next] = [document.getElementById(id), fresh.getElementById(id)];
    if (shown.innerHTML !== next.innerHTML) shown.replaceChildren(...next.childNodes);
  }
  main.dataset.state = fresh.getElementById('main').dataset.state;
  document.title = fresh.title;
}

/** Tells the person whether the page updates by itself. */
function say(isLive) {
  notes.live.hidden = !isLive;
  notes.reload.hidden = isLive;
}

let source;

function connect() {
  source?.close();
  source = new EventSource(`${location.pathname}/events`);
  source.onopen = () => say(true);
  source.onmessage = ({ data }) => {
    if (data !== main.dataset.state) void refresh();
  };
  source.onerror = () => {
    say(false);
    // A browser reconnects by itself, but not after a refusal.
    if (source.readyState === EventSource.CLOSED) setTimeout(() => document.hidden || connect(), RETRY_MS);
  };
}

// A hidden page closes its connection.
document.addEventListener('visibilitychange', () => {
  if (document.hidden) source?.close();
  else connect();
});
if (!document.hidden) connect();
