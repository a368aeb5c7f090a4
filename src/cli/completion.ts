import { Argument, type Command } from 'commander';
import type { Mount } from './command.js';

type Place = ReturnType<typeof placeOf>;

/** A place on the command line, such as `malote orders list`, and the words that may follow it. */
function placeOf(command: Command, words: readonly string[]) {
  const help = command.createHelp();
  const options = [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)];
  const flagged = options.map((option) => ({ option, flag: option.long ?? option.flags }));
  return {
    words: words.join(' '),
    next: [
      ...help.visibleCommands(command).map((each) => ({ word: each.name(), says: help.subcommandDescription(each) })),
      ...flagged.map(({ option, flag }) => ({ word: flag, says: option.description })),
    ],
    /** The possible words of an operand. Empty if they are unknown. */
    operands: command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
    /** Options that take a value, with its possible words. Empty if any value is possible. */
    values: flagged
      .filter(({ option }) => option.required || option.optional)
      .map(({ option, flag }) => ({ flag, choices: option.argChoices ?? [] })),
  };
}

function placesOf(command: Command, before: readonly string[] = []): Place[] {
  const words = [...before, command.name()];
  return [placeOf(command, words), ...command.commands.flatMap((each) => placesOf(each, words))];
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const firstSentence = (text: string): string => text.split(/\n|(?<=\.) /, 1)[0]?.replace(/\.$/, '') ?? '';

/**
 * Writes the branches of a shell's `case` for options with a value. `act` turns the possible words into a shell
 * command.
 */
function valueCases(places: readonly Place[], act: (choices: readonly string[]) => string): string {
  const patternsByAct = new Map<string, string[]>();
  for (const { words, values } of places) {
    for (const { flag, choices } of values) {
      const patterns = patternsByAct.get(act(choices)) ?? [];
      patternsByAct.set(act(choices), [...patterns, quoted(`${words}:${flag}`)]);
    }
  }
  return [...patternsByAct].map(([what, patterns]) => `${patterns.join('|')}) ${what} ;;`).join('\n    ');
}

/** Writes the pattern of a `case` that matches all places except the first. */
const followCases = (places: readonly Place[]): string =>
  places
    .slice(1)
    .map(({ words }) => quoted(words))
    .join('|');

/** Writes the branches for all places. `act` turns a place into a shell command. */
const placeCases = (places: readonly Place[], act: (place: Place) => string): string =>
  places.map((place) => `${quoted(place.words)}) ${act(place)} ;;`).join('\n    ');

const bash = (places: readonly Place[]): string => `# Completion of malote for bash: source <(malote completion bash)
_malote() {
  local current=\${COMP_WORDS[COMP_CWORD]} place=malote word candidates=
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$place $word" in ${followCases(places)}) place="$place $word" ;; esac
  done
  case "$place:\${COMP_WORDS[COMP_CWORD-1]}" in
    ${valueCases(places, (choices) => `candidates=${quoted(choices.join(' '))}`)}
    *) case $place in
    ${placeCases(places, ({ next, operands }) => `candidates=${quoted([...operands, ...next.map(({ word }) => word)].join(' '))}`)}
    esac ;;
  esac
  COMPREPLY=($(compgen -W "$candidates" -- "$current"))
}
complete -o default -F _malote malote
`;

const described = ({ word, says }: Place['next'][number]): string => quoted(`${word}:${firstSentence(says)}`);

const zsh = (places: readonly Place[]): string => `#compdef malote
# Completion of malote for zsh: source <(malote completion zsh), or a file _malote in a folder of $fpath
_malote() {
  local place=malote word
  local -a candidates
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$place $word" in (${followCases(places)}) place="$place $word" ;; esac
  done
  case "$place:\${words[CURRENT-1]}" in
    ${valueCases(places, (choices) => (choices.length > 0 ? `compadd -- ${choices.map(quoted).join(' ')}; return` : '_files; return'))}
  esac
  case $place in
    ${placeCases(places, ({ next, operands }) => `candidates=(${[...operands.map(quoted), ...next.map(described)].join(' ')})`)}
  esac
  _describe malote candidates || _files
}
if [ "$funcstack[1]" = _malote ]; then _malote "$@"; else compdef _malote malote; fi
`;

const scripts = { bash, zsh };

/**
 * Prints the completion script of a shell. It walks through the program for the commands, so it needs no settings and
 * no service.
 */
export const completion: Mount = (program, _open, { stdout }) => {
  program
    .command('completion')
    .description('Print what makes a shell complete commands, options and their values.')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(scripts)))
    .addHelpText('after', '\nExample:\n  $ source <(malote completion bash)')
    .action((shell: keyof typeof scripts) => void stdout.write(scripts[shell](placesOf(program))));
};
