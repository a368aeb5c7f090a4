// Sends the parts of a file one after another. Without this script, each part has a button.

const PARTS = 'form[action$="/parts"]';

/** Sends one part and shows its result. Returns the form of the next part, or undefined if this one was refused. */
async function send(form) {
  const body = new URLSearchParams(new FormData(form));
  const answer = await fetch(form.action, { method: 'POST', body });
  if (answer.redirected) return location.assign(answer.url);
  const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html').querySelector('main');
  document.querySelector('main').replaceWith(fresh);
  return answer.ok ? fresh.querySelector(`form[action="${form.getAttribute('action')}"]`) : undefined;
}

addEventListener('submit', async (event) => {
  if (!event.target.matches(PARTS)) return;
  event.preventDefault();
  let form = event.target;
  while (form) {
    form.querySelector('button').disabled = true;
    try {
      form = await send(form);
    } catch {
      // The service cannot be reached. The person can send the same part again.
      form.querySelector('button').disabled = false;
      return;
    }
  }
  const title = document.querySelector('h1');
  title.tabIndex = -1;
  title.focus();
});

// A part that only checks rows is sent without a click.
document.querySelector('form[action$="/check/parts"]')?.requestSubmit();
