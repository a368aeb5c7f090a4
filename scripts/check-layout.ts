/**
 * What the linter cannot see of the layout: no file is too long, no sliver serves one other file only, fixed values are in
 * capitals and everything else is not, errors are called errors. Prints each breach; ends with 1 when there is one.
 */
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { cruise } from 'dependency-cruiser';
import ts from 'typescript';

const MOST_LINES = 250;
/** A test of one resource is read from top to bottom, like a chapter. */
const MOST_TEST_LINES = 350;
/** A shorter file that only one other of its room imports is a part of that other. */
const SLIVER_LINES = 40;
/** Lists the files of its room, one by one. */
const INDEX = /\/index\.ts$/;
const CONSTANT_CASE = /^[A-Z][A-Z0-9_]*$/;

const files = ['src', 'scripts', 'clients', 'lab', 'test'].flatMap((folder) =>
  ts.sys.readDirectory(folder, ['.ts', '.tsx'], ['**/node_modules']),
);
const breaches = [...files.flatMap(breachesOf), ...(await slivers())];
for (const breach of breaches) console.error(breach);
console.log(`${files.length} files, ${breaches.length} breaches of the layout`);
if (breaches.length > 0) process.exitCode = 1;

function breachesOf(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  const lines = linesOf(text);
  const most = file.endsWith('.test.ts') ? MOST_TEST_LINES : MOST_LINES;
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true);
  return [
    ...(lines > most ? [`${file}: ${lines} lines, at most ${most} are allowed`] : []),
    ...source.statements.flatMap((statement) => misnamed(statement).map((breach) => `${file}: ${breach}`)),
  ];
}

function linesOf(text: string): number {
  return text.split('\n').length - 1;
}

function misnamed(statement: ts.Statement): string[] {
  if (ts.isClassDeclaration(statement)) return misnamedError(statement);
  if (!ts.isVariableStatement(statement) || !(statement.declarationList.flags & ts.NodeFlags.Const)) return [];
  return statement.declarationList.declarations.flatMap(({ name, initializer }) => {
    if (!ts.isIdentifier(name) || !initializer || name.text.length === 1) return [];
    if (isFixed(initializer) === CONSTANT_CASE.test(name.text)) return [];
    return [
      `${name.text} ${isFixed(initializer) ? 'is a fixed value: CONSTANT_CASE' : 'is no fixed value: camelCase'}`,
    ];
  });
}

function misnamedError({ name, heritageClauses }: ts.ClassDeclaration): string[] {
  const isError = heritageClauses?.some(({ types }) => types.some((type) => /Error$/.test(type.expression.getText())));
  return isError && !name?.text.endsWith('Error') ? [`${name?.text} is an error: its name ends in Error`] : [];
}

/** Numbers, strings, patterns, arithmetic of them, and sets. */
function isFixed(node: ts.Expression): boolean {
  if (ts.isLiteralExpression(node)) return true;
  if (ts.isPrefixUnaryExpression(node)) return isFixed(node.operand);
  if (ts.isParenthesizedExpression(node)) return isFixed(node.expression);
  if (ts.isBinaryExpression(node)) return isFixed(node.left) && isFixed(node.right);
  if (ts.isIdentifier(node)) return CONSTANT_CASE.test(node.text);
  if (ts.isPropertyAccessExpression(node)) return node.getText().startsWith('Math.');
  return ts.isNewExpression(node) && node.expression.getText() === 'Set' && node.arguments?.length === 1;
}

async function slivers(): Promise<string[]> {
  const { output } = await cruise(['src'], { doNotFollow: 'node_modules', tsPreCompilationDeps: true });
  if (typeof output === 'string') throw new Error('the result is text');
  return output.modules.flatMap(({ source, dependents }) => {
    const [only, ...others] = dependents;
    if (!source.startsWith('src/') || only === undefined || others.length > 0) return [];
    if (dirname(only) !== dirname(source) || INDEX.test(only)) return [];
    const lines = linesOf(readFileSync(source, 'utf8'));
    const together = lines + linesOf(readFileSync(only, 'utf8'));
    if (lines >= SLIVER_LINES || together > MOST_LINES) return [];
    return [`${source}: ${lines} lines that only ${only} imports`];
  });
}
