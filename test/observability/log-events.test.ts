import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import ts from 'typescript';

/** Lines of the log begin with the name of an event, and docs/observability.md lists these names. */

const EVENT = /^[a-z_]+\.[a-z_]+$/;
const LEVEL = /^(trace|debug|info|warn|error|fatal)$/;

const sources = ts.sys.readDirectory('src', ['.ts', '.tsx']).map((file) => {
  const kind = file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  return ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ES2022, true, kind);
});

/** The names of events that a file gives to a logger, or to a function that logs for its caller. */
function messagesIn(source: ts.SourceFile): string[] {
  const messages: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && isLogging(node.expression.getText(source))) {
      const last = node.arguments.at(-1);
      if (last && !ts.isIdentifier(last)) messages.push(textOf(last));
    }
    if (ts.isPropertyAssignment(node) && node.name.getText(source) === 'event' && ts.isStringLiteral(node.initializer))
      messages.push(...[node.initializer.text].filter((text) => text.includes('.')));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return messages;
}

function isLogging(callee: string): boolean {
  const [, object = '', method = ''] = /([\w.]+)(?:\.(\w+)|\[.*\])$/.exec(callee) ?? [];
  return callee === 'countedLog' || (/(^|\.)(log|lines)$/.test(object) && (method === '' || LEVEL.test(method)));
}

const textOf = (node: ts.Node): string => (ts.isStringLiteral(node) ? node.text : node.getText());

const messages = [...new Set(sources.flatMap(messagesIn))].sort();

test('the message of each line of the log is the name of an event', () => {
  expect(messages.length).toBeGreaterThan(60);
  expect(messages.filter((message) => !EVENT.test(message))).toEqual([]);
});

test('docs/observability.md lists exactly the existing events', () => {
  const rows = readFileSync('docs/observability.md', 'utf8').matchAll(/^\| `(\w+\.\w+)` \| \w+ \|/gm);
  expect([...rows].map(([, event]) => event)).toEqual(messages);
});
