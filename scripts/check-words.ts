/**
 * Checks that comments, titles of tests, descriptions, guides and docs are plain English: no riddles, no slips, no
 * long sentences. Prints each finding with advice and ends with 1 when there is one.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { findingsIn, slipsIn } from './words/riddles.js';
import { textsOf } from './words/texts.js';

const PROSE = /^(src|test|lab|scripts|clients|deploy|docs|contracts|\.ci)\/|^[^/]+\.(md|ts|js)$|^Makefile$/;
/** Texts in another language, copies, licences, records of measurements, and samples for this check. */
const NOT_OURS =
  /pt-BR|^lab\/bench\/figures\.md$|^contracts\/(released|examples)\/|^src\/routing\/data\/|^scripts\/words\/|words\.test\.ts$/;
/** Records of decisions keep their long sentences. */
const RECORD = /^docs\/adr\//;
/** Records of releases keep all of theirs: only changes since the last release are checked. */
const RELEASED_CHANGES = /^## \[\d[\s\S]*/m;

const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' });
const files = [...new Set(listed.trim().split('\n'))].filter((file) => PROSE.test(file) && !NOT_OURS.test(file));
const texts = files.flatMap((file) =>
  file === 'CHANGELOG.md' ? textsOf(file, readFileSync(file, 'utf8').replace(RELEASED_CHANGES, '')) : textsOf(file),
);
const findings = texts
  .flatMap((text) => [...findingsIn(text), ...slipsIn(text)])
  .filter(({ name, text }) => name !== 'long' || !RECORD.test(text.file));
for (const { text, name, sentence, advice } of findings) {
  console.error(`${text.file}:${text.line}: ${name}, ${advice}: ${sentence}`);
}
console.log(`${texts.length} texts, ${findings.length} riddles`);
if (findings.length > 0) process.exitCode = 1;
