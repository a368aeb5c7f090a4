/**
 * Checks that comments, titles of tests, descriptions, guides and docs are plain English: no riddles, no slips, no
 * long sentences. Prints each finding with advice and ends with 1 when there is one. `-- --open` also lists the
 * findings of areas that are still open.
 */
import { execFileSync } from 'node:child_process';
import { findingsIn, slipsIn } from './words/riddles.js';
import { textsOf } from './words/texts.js';

const PROSE = /^(src|test|lab|scripts|clients|deploy|docs|contracts|\.ci)\/|^[^/]+\.(md|ts|js)$|^Makefile$/;
/** Texts in another language, copies, licences, and the samples that this check is tried with. */
const NOT_OURS = /pt-BR|^contracts\/(released|examples)\/|^src\/routing\/data\/|^scripts\/words\/|words\.test\.ts$/;
/** Areas whose sentences were not all read yet; their findings are counted only. */
const OPEN = /^(docs|lab|scripts|clients|deploy|\.ci)\/|^(CHANGELOG|CONTRIBUTING)\.md$|^[^/]+\.(ts|js)$|^Makefile$/;
const OPEN_COMMENTS = /^test\//;

const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' });
const files = [...new Set(listed.trim().split('\n'))].filter((file) => PROSE.test(file) && !NOT_OURS.test(file));
const texts = files.flatMap((file) => textsOf(file));
const findings = texts.flatMap((text) => [...findingsIn(text), ...slipsIn(text)]);
const isOpen = ({ file, kind }: { file: string; kind: string }): boolean =>
  OPEN.test(file) || (kind === 'comment' && OPEN_COMMENTS.test(file));
const held = findings.filter(({ text }) => !isOpen(text));
const shown = process.argv.includes('--open') ? findings : held;
for (const { text, name, sentence, advice } of shown) {
  console.error(`${text.file}:${text.line}: ${name}, ${advice}: ${sentence}`);
}
console.log(`${texts.length} texts, ${held.length} riddles; ${findings.length - held.length} in areas that are open`);
if (held.length > 0) process.exitCode = 1;
