// Makes copy and print buttons work, and marks a sent form as busy until the next page comes. Without this script the
// buttons stay hidden. A busy form ignores a second click.

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
  // Disable the button later: a disabled button does not send its own value.
  setTimeout(() => {
    form.setAttribute('aria-busy', 'true');
    for (const button of form.querySelectorAll('[type=submit]')) button.disabled = true;
    submitter?.classList.add('busy');
  });
  // If the answer is a file, the browser stays on this page.
  setTimeout(ready, 10_000);
});

// Makes the forms usable again, also when the person comes back to this page.
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
