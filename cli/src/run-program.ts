import { CommanderError } from 'commander';
import { EXIT } from './terminal/exit-codes.ts';
import { toOtherVersionFailure } from './commands/version.ts';
import { Failure, unexpectedFailure, usage } from './terminal/failure.ts';
import { requestsStructure } from './terminal/format.ts';
import { createProgram } from './program.ts';
import { StoppedFollowing } from './runs/interrupts.ts';
import { UnknownStartError } from './runs/start.ts';
import { Output } from './terminal/output.ts';
import type { Surroundings } from './terminal/surroundings.ts';

/**
 * Runs a command line. Never throws.
 * @returns exit code
 */
export async function runProgram(args: readonly string[], surroundings: Surroundings): Promise<number> {
  let code: number = EXIT.succeeded;
  let output = new Output(surroundings, requestsStructure(args) ? 'json' : 'table');
  let errorText = '';
  const context = {
    surroundings,
    exit: (given: number) => void (code = given),
    output: (given: Output) => void (output = given),
  };
  const program = createProgram(context, {
    out: (text) => surroundings.stdout.write(text),
    err: (text) => void (errorText += text),
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof StoppedFollowing || error instanceof UnknownStartError) return error.exitCode;
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return EXIT.succeeded;
      // A group without a command prints its help and counts as a usage error.
      if (error.code === 'commander.help' && !output.isStructured) surroundings.stderr.write(errorText);
      else output.failure(usageFailure(error));
      return EXIT.usage;
    }
    const reported =
      error instanceof Failure ? error : (toOtherVersionFailure(error, output.service) ?? unexpectedFailure(error));
    output.failure(reported);
    return reported.exitCode;
  }
}

/** Returns commander's message without the value of an unknown option, which may be `--token=…`. */
function usageFailure({ message, code }: CommanderError): Failure {
  const [first = '', ...more] = message.replace(/^error: /, '').split('\n');
  const cleanMessage = code === 'commander.unknownOption' ? first.replace(/(--?[\w-]+)=[^']*/, '$1') : first;
  const guess = more.find((line) => line.startsWith('(Did you mean'));
  const sentence = `${cleanMessage.charAt(0).toUpperCase()}${cleanMessage.slice(1)}${guess ? `. ${guess.slice(1, -1)}` : ''}`;
  const advice = /'--?(?:token|api-token|password)'/.test(cleanMessage)
    ? ['Tokens are not accepted as arguments, because other users can see them. Use RUNWARD_TOKEN or `runward login`.']
    : ['--help shows what there is.'];
  return usage(/[.?!)]$/.test(sentence) ? sentence : `${sentence}.`, advice);
}
