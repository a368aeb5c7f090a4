/**
 * Checks of the layout that the linter does not have. They see lengths of files, of lines of comments and documents,
 * and slivers that serve one other file only. They see names of constants and errors, names exported twice, first words
 * of comments, and inserts whose rows may lack a column. Prints each breach; ends with 1 when there is one.
 */
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { cruise } from 'dependency-cruiser';
import ts from 'typescript';

const MAX_LINES = 250;
/** A test of one resource is read from top to bottom, like a chapter. */
const MAX_TEST_LINES = 350;
/** A shorter file that only one other of its room imports is a part of that other. */
const SLIVER_LINES = 40;
/** Lists the files of its room, one by one. */
const INDEX = /\/index\.ts$/;
const MAX_COLUMNS = 120;
/** Ground and domains: a name there means one thing. A migration is a module of `up` and nothing else. */
const FLOORS_0_AND_1 =
  /^src\/(db|embedded|http|idempotency|validation|files|base|orders|packages|accounts|products|carrier|endpoints|queue|routing|labels)\/(?!migrations\/\d)/;
/** A riddle instead of a noun or a verb. */
const RIDDLE = /^(What(ever)?|Whether|Those|Who(ever|se)?|Nobody|That|How|Whom)\b/;
/** A document whose lines are not wrapped: each entry is one. */
const unwrapped = ['CHANGELOG.md'];
const CONSTANT_CASE = /^[A-Z][A-Z0-9_]*$/;

const files = ['src', 'scripts', 'clients', 'lab', 'test'].flatMap((folder) =>
  ts.sys.readDirectory(folder, ['.ts', '.tsx'], ['**/node_modules']),
);
const sources = new Map(files.map((file) => [file, sourceOf(file)]));
const documents = ts.sys.readDirectory('.', ['.md'], ['**/node_modules', '**/dist', ...unwrapped]);
const breaches = [
  ...[...sources.values()].flatMap(breachesOf),
  ...documents.flatMap(wideLines),
  ...namesakes(),
  ...(await slivers()),
];
for (const breach of breaches) console.error(breach);
console.log(`${files.length} files, ${breaches.length} breaches of the layout`);
if (breaches.length > 0) process.exitCode = 1;

/** Lines of a document's text: a row of a table, code, and a line that a link or code fills cannot be broken. */
function wideLines(file: string): string[] {
  const text = readFileSync(file, 'utf8').replaceAll(/^ *```[\s\S]*?^ *```$/gm, (code) => '\n'.repeat(linesOf(code)));
  return text
    .split('\n')
    .flatMap((line, at) =>
      line.length > MAX_COLUMNS && !/^(\||<)|^\s*([-*] )?[[`]/.test(line)
        ? [`${file}:${at + 1}: a line of a document has more than ${MAX_COLUMNS} columns`]
        : [],
    );
}

function sourceOf(file: string): ts.SourceFile {
  const kind = file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  return ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ES2022, true, kind);
}

function breachesOf(source: ts.SourceFile): string[] {
  const { fileName: file, text } = source;
  const lines = linesOf(text);
  const most = file.endsWith('.test.ts') ? MAX_TEST_LINES : MAX_LINES;
  return [
    ...(lines > most ? [`${file}: ${lines} lines, at most ${most} are allowed`] : []),
    ...source.statements.flatMap((statement) => misnamed(statement).map((breach) => `${file}: ${breach}`)),
    ...commentBreaches(source),
    ...incompleteInserts(source),
  ];
}

/** Inserts whose values are neither made by `row` nor of columns that are listed. */
function incompleteInserts({ fileName: file, text }: ts.SourceFile): string[] {
  if (!file.startsWith('src/')) return [];
  const inserts = [...text.matchAll(/\.insertInto\('(\w+)'\)(\s*\.columns\()?/g)];
  return inserts.flatMap(([, table = '', columns]) =>
    columns || text.includes(`row<'${table}'>(`) ? [] : [`${file}: make the rows of ${table} by row<'${table}'>`],
  );
}

function commentBreaches(source: ts.SourceFile): string[] {
  return commentsOf(source).flatMap(({ pos, end }) => {
    const lines = source.text.slice(source.text.lastIndexOf('\n', pos) + 1, end).split('\n');
    const isWide = lines.some((line) => line.length > MAX_COLUMNS && !line.includes('://'));
    const head = source.text.slice(pos, end).replace(/^\/[/*]+\s*(\*\s*)?/, '');
    return [
      ...(isWide ? [`${placeOf(source, pos)}: a line of a comment has more than ${MAX_COLUMNS} columns`] : []),
      ...(isRiddle(source, pos, head)
        ? [`${placeOf(source, pos)}: begin with a noun or a verb: ${head.slice(0, 40)}`]
        : []),
    ];
  });
}

/** A line that goes on with the comment of the line before begins with any word. */
function isRiddle(source: ts.SourceFile, pos: number, head: string): boolean {
  const before = source.text.slice(0, pos).trimEnd().split('\n').at(-1) ?? '';
  return RIDDLE.test(head) && !before.trimStart().startsWith('//');
}

function commentsOf(source: ts.SourceFile): ts.CommentRange[] {
  const comments = new Map<number, ts.CommentRange>();
  const visit = (node: ts.Node): void => {
    if (ts.isJsxText(node)) return;
    for (const comment of ts.getLeadingCommentRanges(source.text, node.pos) ?? []) comments.set(comment.pos, comment);
    for (const comment of ts.getTrailingCommentRanges(source.text, node.end) ?? []) comments.set(comment.pos, comment);
    node.getChildren(source).forEach(visit);
  };
  visit(source);
  return [...comments.values()];
}

function lineOf(source: ts.SourceFile, position: number): number {
  return source.getLineAndCharacterOfPosition(position).line + 1;
}

function placeOf(source: ts.SourceFile, position: number): string {
  return `${source.fileName}:${lineOf(source, position)}`;
}

/** Names that two files of ground or domains export. */
function namesakes(): string[] {
  const files = new Map<string, string[]>();
  for (const source of sources.values()) {
    if (!FLOORS_0_AND_1.test(source.fileName)) continue;
    for (const name of source.statements.flatMap(exportedNames))
      files.set(name, [...(files.get(name) ?? []), source.fileName]);
  }
  return [...files].flatMap(([name, of]) => (of.length > 1 ? [`${name} is exported by ${of.join(' and ')}`] : []));
}

function exportedNames(statement: ts.Statement): string[] {
  const isExported =
    ts.canHaveModifiers(statement) &&
    ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
  if (!isExported) return [];
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.flatMap(({ name }) => (ts.isIdentifier(name) ? [name.text] : []));
  // Overloads of one function are one name.
  if (ts.isFunctionDeclaration(statement)) return statement.body && statement.name ? [statement.name.text] : [];
  const isNamed =
    ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement) || ts.isClassDeclaration(statement);
  return isNamed && statement.name ? [statement.name.text] : [];
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
    if (lines >= SLIVER_LINES || together > MAX_LINES) return [];
    return [`${source}: ${lines} lines that only ${only} imports`];
  });
}
