// Shows under each CEP whether the carrier serves it, and what the order costs, while a person types. Without this
// script the form has buttons for that.

const CODE = 'input[name$="address.postal_code"]';
const codes = [...document.querySelectorAll(CODE)];
const pickup = codes.find(({ name }) => name.startsWith('pickups.'));
const prices = () => document.querySelector('#prices');
const asked = new Map();

for (const button of document.querySelectorAll('button[value="price"]')) button.hidden = true;
for (const button of document.querySelectorAll('.preset button')) button.hidden = true;

const typedIn = (name) => document.querySelector(`[name="${name}"]`)?.value.trim() ?? '';

/** The last CEP in a text. */
const codeIn = (text) =>
  text
    .match(/(?<!\d)\d{5}[-.\s]?\d{3}(?!\d)/g)
    ?.at(-1)
    ?.replace(/\D/g, '') ?? '';

/** The CEP of an address: from its own field, or from the text of the address. */
const codeOf = ({ name }) => codeIn(typedIn(name)) || codeIn(typedIn(name.replace('postal_code', 'address')));

/** Loads a part of a page. Undefined if the service cannot be reached, or if a later question has replaced this one. */
async function partOf(key, address, selector) {
  if (asked.get(key) === address) return undefined;
  asked.set(key, address);
  try {
    const page = await (await fetch(address)).text();
    return asked.get(key) === address
      ? new DOMParser().parseFromString(page, 'text/html').querySelector(selector)
      : undefined;
  } catch {
    asked.delete(key);
    return undefined;
  }
}

async function showPlace(field) {
  const line = field.closest('.postal-code').querySelector('[role="status"]');
  const [code, from] = [codeOf(field), codeOf(pickup)];
  if (code === '') {
    asked.delete(field);
    return line.replaceChildren();
  }
  const query = new URLSearchParams(field === pickup ? { from } : { to: code, from });
  const said = await partOf(field, `/envios/coverage?${query}`, '#answer');
  if (!said) return;
  line.textContent = said.textContent;
  line.className = said.dataset.served === 'false' ? 'error' : 'hint';
}

/** The parameters of a quote: each name is repeated once per package. */
function quoteQuery() {
  const query = new URLSearchParams({ from: codeOf(pickup) });
  for (const field of codes) {
    if (field === pickup) continue;
    const textOf = (name) => typedIn(field.name.replace('address.postal_code', name));
    query.append('to', codeOf(field));
    for (const side of ['width', 'height', 'length', 'weight']) query.append(side, textOf(`dimensions.${side}`));
    query.append('value', textOf('declared_value'));
  }
  return query;
}

async function showPrices() {
  const shown = await partOf(prices, `/envios/quote?${quoteQuery()}`, '#prices');
  if (shown) prices().replaceChildren(...shown.childNodes);
}

let pause;

addEventListener('input', ({ target }) => {
  const field = codes.find(({ name }) => [name, name.replace('postal_code', 'address')].includes(target.name));
  // Coverage depends on the pickup, so a new pickup asks again for each package.
  for (const each of field === pickup ? codes : field ? [field] : []) showPlace(each);
  if (!field && !/dimensions|declared_value/.test(target.name)) return;
  clearTimeout(pause);
  pause = setTimeout(showPrices, 300);
});

// When a person chooses a saved pickup or box, the form fills in its fields.
addEventListener('change', ({ target }) => {
  if (target.matches('.preset select')) target.form.requestSubmit(target.closest('.preset').querySelector('button'));
});
