import { shellWord } from './shell-text.js';
import { type VariableValue, valueText } from '../../common/variables/variable-value.js';

export interface ScriptRequest {
  /** The rendered command. */
  readonly command: string;
  /** Variables for the command's environment, secrets included. */
  readonly exports: readonly { readonly name: string; readonly value: VariableValue }[];
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * The POSIX shell text that a host's `sh` reads from its standard input: the exports, then the command. Nothing of it
 * stands on a command line. Lists are exported one item a line, booleans as `true` and `false`.
 *
 * The command is handed to `eval` as one word with its input from /dev/null: a program in it that reads standard
 * input would otherwise swallow the lines that follow it, and they would never run.
 *
 * @throws RangeError for a name that is no shell variable, a NUL, or half of a surrogate pair
 */
export function composeScript({ command, exports }: ScriptRequest): string {
  const lines = exports.map(({ name, value }) => {
    if (!NAME.test(name)) throw new RangeError(`"${name}" is not the name of a shell variable.`);
    return `export ${name}=${word(valueText(value), `The value of ${name}`)}\n`;
  });
  return `${lines.join('')}eval ${word(command, 'The command')} </dev/null\n`;
}

function word(text: string, subject: string): string {
  if (/[\0\p{Surrogate}]/u.test(text))
    throw new RangeError(`${subject} holds a NUL or half of a character, which no shell can take.`);
  return shellWord(text);
}
