// Buttons that copy. Without it they stay hidden, and the value beside them is selected by hand.

for (const button of document.querySelectorAll('[data-copy]')) button.hidden = false;

addEventListener('click', async ({ target }) => {
  const button = target.closest('[data-copy]');
  if (!button) return;
  await navigator.clipboard.writeText(button.dataset.copy);
  button.textContent = button.dataset.copied;
});
