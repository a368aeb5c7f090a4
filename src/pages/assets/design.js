// Buttons that copy or print. Without it they stay hidden: values are selected by hand, and the browser prints.

for (const button of document.querySelectorAll('[data-copy], [data-print]')) button.hidden = false;

addEventListener('click', async ({ target }) => {
  if (target.closest('[data-print]')) return print();
  const button = target.closest('[data-copy]');
  if (!button) return;
  await navigator.clipboard.writeText(button.dataset.copy);
  button.textContent = button.dataset.copied;
});
