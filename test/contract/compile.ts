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

/**
 * The compiler's complaints about each text, as `TS2322 …`, in the order of the texts; an empty list where it compiles.
 */
export function complaints(codes: readonly string[]): string[][] {
  const files = codes.map((code, index): [string, string] => [resolve(folder, `snippet-${index}.ts`), code]);
  return complaintsIn(new Map(files), projectOptions());
}

/** The same about texts by the names of the files that they would be, with settings of their own. */
export function complaintsIn(texts: ReadonlyMap<string, string>, options: ts.CompilerOptions): string[][] {
  const program = ts.createProgram([...texts.keys()], options, hostOf(texts, options));
  return [...texts.keys()].map((name) => {
    const file = program.getSourceFile(name);
    const found = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
    return found.map(({ code, messageText }) => `TS${code} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`);
  });
}
