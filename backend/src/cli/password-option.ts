import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { type Command, Option } from 'commander';
import { StartError } from '../common/database/start-error.js';
import { MIN_PASSWORD_LENGTH } from '../tenancy/members.dto.js';

/**
 * Adds `--<name>-file` to a command. A password on the command line is refused, because every user of the machine can
 * read the arguments of a process.
 */
export function addPasswordOption(command: Command, name: string): Command {
  const refuse = () => {
    throw new StartError(
      `--${name} is not accepted: other users of this machine can read the command line. Use --${name}-file FILE, or --${name}-file - for standard input.`,
    );
  };
  return command
    .option(
      `--${name}-file <file>`,
      'file with the password, - for standard input; default: generated and printed once',
    )
    .addOption(new Option(`--${name} [password]`).argParser(refuse).hideHelp());
}

/**
 * Reads the password from `file`; undefined: generates one.
 * @throws StartError, whose message does not contain the password
 */
export async function readPassword(file: string | undefined): Promise<{ password: string; generated: boolean }> {
  if (file === undefined) return { password: randomBytes(15).toString('base64url'), generated: true };
  const password = (await readPasswordFile(file)).replace(/\r?\n$/, '');
  if (password.length < MIN_PASSWORD_LENGTH)
    throw new StartError(`The password is shorter than ${MIN_PASSWORD_LENGTH} characters.`);
  if (/[\r\n]/.test(password)) throw new StartError('The password file has more than one line.');
  return { password, generated: false };
}

async function readPasswordFile(file: string): Promise<string> {
  if (file === '-') return text(process.stdin);
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new StartError(`The password file can't be read: ${(error as Error).message}`);
  }
}
