/** Which municipality addresses are read to name, by the way they are written: npx tsx lab/bench/reading.ts */

import { forms, formsWithoutCity, writtenAddresses } from '../../scripts/places/forms.js';
import { readAddress } from '../../src/routing/address/embedded-geocoder.js';

const addresses = writtenAddresses();

function score(form: (typeof forms)[string]): string {
  const counts = { right: 0, wrong: 0, refused: 0 };
  const texts = addresses.map((address) => ({ address, text: form(address) }));
  const started = process.cpuUsage();
  for (const { address, text } of texts) {
    if (text === undefined) continue;
    const reading = readAddress(text);
    if (!reading.ok) counts.refused++;
    else if (reading.municipality.code === Number(address.ibge)) counts.right++;
    else counts.wrong++;
  }
  const { user, system } = process.cpuUsage(started);
  const total = counts.right + counts.wrong + counts.refused;
  const right = ((100 * counts.right) / total).toFixed(2);
  return `${String(total).padStart(6)} right ${right.padStart(6)} %, wrong ${String(counts.wrong).padStart(5)}, refused ${String(counts.refused).padStart(6)}, ${((user + system) / total).toFixed(1)} µs`;
}

for (const [name, form] of Object.entries({ ...forms, ...formsWithoutCity }))
  console.log(`${name.padEnd(42)} ${score(form)}`);
