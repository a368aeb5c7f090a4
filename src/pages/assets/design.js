// Buttons that copy or print. Without it they stay hidden: values are selected by hand, and the browser prints.
// A form that was sent is busy until the next page comes: its button says so, and a second click sends nothing.

for (const button of document.querySelectorAll('[data-copy], [data-print]')) button.hidden = false;

addEventListener('click', async ({ target }) => {
  if (target.closest('[data-print]')) return print();
  const button = target.closest('[data-copy]');
  if (!button) return;
  await navigator.clipboard.writeText(button.dataset.copy);
  button.textContent = button.dataset.copied;
});

addEventListener('submit', ({ target: form, submitter, defaultPrevented }) => {
  if (defaultPrevented || form.method !== 'post') return;
  // A button that is disabled at once would not send its own value.
  setTimeout(() => {
    form.setAttribute('aria-busy', 'true');
    for (const button of form.querySelectorAll('[type=submit]')) button.disabled = true;
    submitter?.classList.add('busy');
  });
  // The answer may be a file, after which the page stays.
  setTimeout(ready, 10_000);
});

// The page as it was, on the way back, too.
const ready = () => {
  for (const form of document.querySelectorAll('form[aria-busy]')) {
    form.removeAttribute('aria-busy');
    for (const button of form.querySelectorAll('[type=submit]')) {
      button.disabled = false;
      button.classList.remove('busy');
    }
  }
};
addEventListener('pageshow', ready);
