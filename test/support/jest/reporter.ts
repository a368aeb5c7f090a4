import { relative } from 'node:path';

interface FileResult {
  readonly testFilePath: string;
  /** Set when the file did not start, so that its tests are in no count. */
  readonly testExecError?: unknown;
  readonly numPendingTests: number;
}

/** Names, after everything else that is printed, the files whose tests did not run. */
export default class MissingFilesReporter {
  onRunComplete(_: unknown, { testResults }: { testResults: readonly FileResult[] }): void {
    const missing = testResults.filter(({ testExecError }) => testExecError !== undefined);
    const lines = missing.map(({ testFilePath }) => `did not run: ${relative('.', testFilePath)}\n`);
    process.once('exit', () => process.stderr.write(lines.join('')));
  }
}
