import { Command, CommanderError } from 'commander';
import { version } from '../base/version.js';

/** Parses the options of a program. Undefined after `--help`, `--version`, or a wrong option. */
export function optionsOf<Options extends object>(
  name: string,
  description: string,
  options: Readonly<Record<string, string>> = {},
): Options | undefined {
  const command = new Command(name)
    .description(`${description}\n\nIt takes its settings from the environment or .env; docs/settings.md lists them.`)
    .version(version)
    .allowExcessArguments(false)
    .configureOutput({
      outputError: (text, write) =>
        write(
          `malote: ${text
            .replace(/^error: /, '')
            .trim()
            .replace(/\s*\n\s*/g, ' ')}\n`,
        ),
    })
    .exitOverride();
  for (const [flags, meaning] of Object.entries(options)) command.option(flags, meaning);
  try {
    return command.parse().opts<Options>();
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    process.exitCode = error.exitCode === 0 ? 0 : 2;
    return undefined;
  }
}
