// Keeps an open tracking page as it would be after a reload. Without it the page says all the same, until it is reloaded.

const main = document.getElementById('main');
const notes = { live: document.getElementById('live'), reload: document.getElementById('reload') };
const RETRY_MS = 60_000;

/** Puts in new parts; a part that is the same stays, so that it is not read out again. */
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

/** Says whether the page keeps up by itself. */
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
    // A browser tries again by itself, but not after a refusal.
    if (source.readyState === EventSource.CLOSED) setTimeout(() => document.hidden || connect(), RETRY_MS);
  };
}

// A page that nobody looks at needs no connection.
document.addEventListener('visibilitychange', () => {
  if (document.hidden) source?.close();
  else connect();
});
if (!document.hidden) connect();
