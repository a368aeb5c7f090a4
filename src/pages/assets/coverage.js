// Says beside an address whether the carrier serves it, as soon as its postal code is typed. Without it the quote says so.

const ADDRESS = 'input[name$="address.address"]';
const fields = [...document.querySelectorAll(ADDRESS)];
const pickup = fields.find(({ name }) => name.startsWith('pickups.'));
const answers = new Map(fields.map((field) => [field, { place: placeFor(field), asked: '' }]));

/** The part of a field that a screen reader reads out when it changes. */
function placeFor(field) {
  const place = document.createElement('p');
  place.setAttribute('role', 'status');
  place.className = 'hint';
  field.closest('.field').append(place);
  return place;
}

/** The last postal code of an address. */
const codeIn = (field) =>
  field.value
    .match(/(?<!\d)\d{5}[-.\s]?\d{3}(?!\d)/g)
    ?.at(-1)
    ?.replace(/\D/g, '') ?? '';

async function ask(field) {
  const answer = answers.get(field);
  const query = String(
    new URLSearchParams(field === pickup ? { from: codeIn(field) } : { to: codeIn(field), from: codeIn(pickup) }),
  );
  if (query === answer.asked) return;
  answer.asked = query;
  if (codeIn(field) === '') return answer.place.replaceChildren();
  try {
    const page = await fetch(`/envios/coverage?${query}`);
    const said = new DOMParser().parseFromString(await page.text(), 'text/html').querySelector('#answer');
    // Something else may have been typed meanwhile.
    if (query !== answer.asked) return;
    answer.place.textContent = said?.textContent ?? '';
    answer.place.className = said?.dataset.served === 'false' ? 'error' : 'hint';
  } catch {
    // Out of reach: the quote says it.
    answer.asked = '';
  }
}

addEventListener('input', ({ target }) => {
  if (!target.matches(ADDRESS)) return;
  // A package is served from its pickup.
  for (const field of target === pickup ? fields : [target]) ask(field);
});

for (const field of fields) ask(field);
