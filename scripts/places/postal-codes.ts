/** Builds the table from CEP to municipality: existing CEPs first, Correios' ranges where none is known. */
import { firstRow } from '../../src/routing/places/columns.js';
import type { CepRow } from './sources.js';

interface Run {
  from: number;
  to: number;
  /** IBGE code. */
  code: string;
}

/** Lines `first CEP;last CEP;IBGE code[;IBGE code by the range, where it is another]`, in the order of the CEPs. */
export function postalCodeLines(existing: readonly CepRow[], ranges: readonly CepRow[]): string[] {
  const runs = toRuns(existing);
  const official = toRuns(ranges);
  const owners = [runs, official].map(ownersOf);
  const edges = [...runs, ...official].flatMap(({ from, to }) => [from, to + 1]);
  const cuts = [...new Set(edges)].sort((a, b) => a - b);
  const lines: { from: number; to: number; codes: string }[] = [];
  cuts.forEach((from, at) => {
    const to = (cuts[at + 1] ?? from) - 1;
    const codes = [...new Set(owners.flatMap((ownerOf) => ownerOf(from) ?? []))].join(';');
    const last = lines.at(-1);
    if (last?.codes === codes && last.to === from - 1) last.to = to;
    else if (codes !== '' && to >= from) lines.push({ from, to, codes });
  });
  return lines.map(({ from, to, codes }) => `${postalCode(from)};${postalCode(to)};${codes}`);
}

const postalCode = (value: number): string => String(value).padStart(8, '0');

/**
 * A run whose place is a district says nothing here: the range has its municipality. A range that begins with 001
 * leaves out the CEP of the time when the town had but one, which is still written.
 */
function toRuns(rows: readonly CepRow[]): Run[] {
  return rows
    .filter(({ ibge }) => ibge !== '')
    .map(({ cep_from, cep_to, ibge }) => ({
      from: Number(cep_from.replace(/001$/, '000')),
      to: Number(cep_to),
      code: ibge,
    }))
    .sort((a, b) => a.from - b.from);
}

function ownersOf(runs: readonly Run[]): (postalCode: number) => string | undefined {
  const starts = Int32Array.from(runs, ({ from }) => from);
  return (value) => {
    const run = runs[firstRow(starts, value + 1) - 1];
    return run && run.to >= value ? run.code : undefined;
  };
}
