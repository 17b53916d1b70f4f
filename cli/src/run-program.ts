import { CommanderError } from 'commander';
import { EXIT } from './exit-codes.ts';
import { Failure, failure, usage } from './failure.ts';
import { programOf } from './program.ts';
import { Left } from './runs/interrupts.ts';
import { NotKnown } from './runs/start.ts';
import { Output } from './terminal/output.ts';
import type { Surroundings } from './terminal/surroundings.ts';

/** Carries a command line out. @returns the exit code; never throws */
export async function runProgram(args: readonly string[], surroundings: Surroundings): Promise<number> {
  let code: number = EXIT.succeeded;
  let output = new Output(surroundings, wantsJson(args));
  let complaint = '';
  const context = {
    surroundings,
    exit: (given: number) => void (code = given),
    output: (given: Output) => void (output = given),
  };
  const program = programOf(context, {
    out: (text) => surroundings.stdout.write(text),
    err: (text) => void (complaint += text),
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof Left || error instanceof NotKnown) return error.exitCode;
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return EXIT.succeeded;
      // What was asked for without a command is shown, and the call is a mistake all the same.
      if (error.code === 'commander.help' && !output.json) surroundings.stderr.write(complaint);
      else output.failure(misused(error));
      return EXIT.usage;
    }
    const told = error instanceof Failure ? error : unexpected(error);
    output.failure(told);
    return told.exitCode;
  }
}

/** Before the arguments are understood: also a mistake in them is told in this form. */
function wantsJson(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return args.slice(0, end < 0 ? undefined : end).includes('--json');
}

/** What commander says, without the value of an option that it does not know: somebody may have tried `--token=…`. */
function misused({ message, code }: CommanderError): Failure {
  const [first = '', ...more] = message.replace(/^error: /, '').split('\n');
  const clean = code === 'commander.unknownOption' ? first.replace(/(--?[\w-]+)=[^']*/, '$1') : first;
  const guess = more.find((line) => line.startsWith('(Did you mean'));
  const sentence = `${clean.charAt(0).toUpperCase()}${clean.slice(1)}${guess ? `. ${guess.slice(1, -1)}` : ''}`;
  const advice = /'--?(?:token|api-token|password)'/.test(clean)
    ? ['A token is never an argument: other users see the arguments of programs. Use RUNWARD_TOKEN or `runward login`.']
    : ['--help shows what there is.'];
  return usage(/[.?!)]$/.test(sentence) ? sentence : `${sentence}.`, advice);
}

/** A fault of this program: told as such, without a stack. */
const unexpected = (error: unknown): Failure =>
  failure(
    'unexpected',
    'Unexpected error',
    `Unexpected error: ${error instanceof Error ? error.message : String(error)}`,
    EXIT.unreachable,
    ['This is a fault of the program: please report it with the command that you typed.'],
  );
