// What an anchor of this page once led to may be on another page now, which this one links.
const { hash } = location;
if (hash !== '' && !document.getElementById(decodeURIComponent(hash.slice(1)))) {
  const link = [...document.querySelectorAll('article a')].find((each) => each.hash === hash);
  if (link) location.replace(link.href);
}

/** Search while typing, by the index and the options that the server searches with. Without it the form does the same. */

const field = document.querySelector('#query');
const hits = document.querySelector('#hits');
const MOST_HITS = 8;
let loading;

async function load() {
  const [{ default: MiniSearch }, { options, index, common }] = await Promise.all([
    import('/docs/guide/minisearch.js'),
    fetch('/docs/guide/search.json').then((answer) => answer.json()),
  ]);
  const words = new Set(common);
  const processTerm = (term) => (words.has(term.toLowerCase()) ? null : term.toLowerCase());
  return MiniSearch.loadJS(index, { ...options, processTerm });
}

/** Loaded with the first letter; when that fails, with the next one. */
function index() {
  loading ??= load().catch((error) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

const weightOf = (_id, _word, { weight }) => weight;

function entryOf({ id, page, heading, excerpt }) {
  const link = document.createElement('a');
  link.href = id;
  link.textContent = heading === page ? page : `${page}: ${heading}`;
  const text = document.createElement('p');
  text.className = 'excerpt';
  text.textContent = excerpt;
  const entry = document.createElement('li');
  entry.lang = 'en';
  entry.append(link, text);
  return entry;
}

function show(found) {
  const list = document.createElement('ul');
  list.append(...found.slice(0, MOST_HITS).map(entryOf));
  hits.replaceChildren(...(found.length > 0 ? [list] : []));
}

field.addEventListener('input', async () => {
  const query = field.value.trim();
  const search = await index();
  if (query === field.value.trim()) show(query === '' ? [] : search.search(query, { boostDocument: weightOf }));
});
field.form.addEventListener('keydown', ({ key }) => {
  if (key === 'Escape') show([]);
});
