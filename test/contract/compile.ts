import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/**
 * Type-checks texts as if they were files of this folder, with the project's own settings but one: they may declare
 * what they do not use. Nothing is written.
 */

const folder = dirname(fileURLToPath(import.meta.url));
const configFile = resolve(folder, '../../tsconfig.json');

function projectOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(configFile, ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, dirname(configFile));
  const { tsBuildInfoFile: _, ...rest } = options;
  return { ...rest, incremental: false, noEmit: true, noUnusedLocals: false };
}

function hostOf(texts: ReadonlyMap<string, string>, options: ts.CompilerOptions): ts.CompilerHost {
  const host = ts.createCompilerHost(options);
  return {
    ...host,
    fileExists: (name) => texts.has(name) || host.fileExists(name),
    readFile: (name) => texts.get(name) ?? host.readFile(name),
    getSourceFile: (name, languageOptions) => {
      const text = texts.get(name);
      return text === undefined
        ? host.getSourceFile(name, languageOptions)
        : ts.createSourceFile(name, text, languageOptions);
    },
  };
}

/** A piece of code, and what stands in a file before it and others. */
interface Piece {
  readonly preamble: string;
  readonly code: string;
}

/**
 * The compiler's complaints about each piece and its preamble, as `TS2322 …`, in the order of the pieces; an empty list
 * where it compiles. Those with one preamble are namespaces of one file, for which that is checked once.
 */
export function complaints(pieces: readonly Piece[]): string[][] {
  const preambles = [...new Set(pieces.map(({ preamble }) => preamble))];
  const texts = new Map<string, string>();
  const places = pieces.map(({ preamble, code }, index) => {
    const name = resolve(folder, `snippets-${preambles.indexOf(preamble)}.ts`);
    const before = texts.get(name) ?? preamble;
    const text = `${before}\nnamespace piece${index} { ${code} }`;
    texts.set(name, text);
    return { name, preamble, from: before.length, to: text.length };
  });
  const found = diagnosticsOf(texts, projectOptions());
  return places.map(({ name, preamble, from, to }) => {
    const isOfPiece = ({ start = 0 }: ts.Diagnostic) => start < preamble.length || (start >= from && start < to);
    return (found.get(name) ?? []).filter(isOfPiece).map(inWords);
  });
}

/** The same about texts by the names of the files that they would be, with settings of their own. */
export const complaintsIn = (texts: ReadonlyMap<string, string>, options: ts.CompilerOptions): string[][] =>
  [...diagnosticsOf(texts, options).values()].map((diagnostics) => diagnostics.map(inWords));

function diagnosticsOf(texts: ReadonlyMap<string, string>, options: ts.CompilerOptions) {
  const program = ts.createProgram([...texts.keys()], options, hostOf(texts, options));
  return new Map(
    [...texts.keys()].map((name): [string, ts.Diagnostic[]] => {
      const file = program.getSourceFile(name);
      return [name, [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]];
    }),
  );
}

const inWords = ({ code, messageText }: ts.Diagnostic): string =>
  `TS${code} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
