// An old anchor of this page may have moved to another page. This page then links to it, and we go there.
const { hash } = location;
if (hash !== '' && !document.getElementById(decodeURIComponent(hash.slice(1)))) {
  const link = [...document.querySelectorAll('article a')].find((each) => each.hash === hash);
  if (link) location.replace(link.href);
}

/** Searches while a person types, and shows the first results of the search page. */

const field = document.querySelector('#search-field');
const hits = document.querySelector('#hits');
const MAX_HITS = 8;
const PAUSE_MS = 150;
let waiting;

async function find(query) {
  const answer = await fetch(
    `${field.form.action}?${new URLSearchParams({ q: query, lang: document.documentElement.lang })}`,
  );
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  return [...page.querySelectorAll('.results > li')].slice(0, MAX_HITS);
}

function show(found) {
  const list = document.createElement('ul');
  list.append(...found);
  hits.replaceChildren(...(found.length > 0 ? [list] : []));
}

field.addEventListener('input', () => {
  const query = field.value.trim();
  clearTimeout(waiting);
  waiting = setTimeout(async () => {
    const found = query === '' ? [] : await find(query);
    if (query === field.value.trim()) show(found);
  }, PAUSE_MS);
});
field.form.addEventListener('keydown', ({ key }) => {
  if (key === 'Escape') show([]);
});

/** Adds a button to each code block. design.js makes the button copy the code. */

const article = document.querySelector('article');
for (const block of article?.querySelectorAll('pre') ?? []) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = article.dataset.label;
  button.dataset.copy = block.textContent;
  button.dataset.copied = article.dataset.copied;
  const frame = document.createElement('div');
  frame.className = 'code';
  block.replaceWith(frame);
  frame.append(block, button);
}

/** Shows all samples in the language that the reader chose last, on every page. */

const KEPT = 'malote-guide-language';
const tabs = [...document.querySelectorAll('.tabs > input')];
function choose(language) {
  for (const tab of tabs) if (tab.value === language) tab.checked = true;
}
const chosen = localStorage.getItem(KEPT);
if (chosen !== null) choose(chosen);
for (const tab of tabs) {
  tab.addEventListener('change', () => {
    // The other samples change their height, so the chosen one would move away from the pointer.
    const before = tab.getBoundingClientRect().top;
    choose(tab.value);
    scrollBy(0, tab.getBoundingClientRect().top - before);
    localStorage.setItem(KEPT, tab.value);
  });
}
