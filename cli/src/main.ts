import { EXIT } from './terminal/exit-codes.ts';
import { runProgram } from './run-program.ts';
import { toHarmless } from './terminal/harmless.ts';
import { realSurroundings } from './terminal/real-surroundings.ts';
import { Secrets } from './terminal/secrets.ts';

const MIN_NODE_VERSION = 20;

/** Reports uncaught errors without a stack and without tokens. */
function exitUnexpectedly(error: unknown): never {
  const secrets = new Secrets();
  secrets.add(process.env.RUNWARD_TOKEN ?? '');
  const words = error instanceof Error ? error.message : String(error);
  process.stderr.write(`✗ Unexpected error: ${secrets.removeSecrets(toHarmless(words, false))}\n`);
  process.exit(EXIT.unreachable);
}
process.on('uncaughtException', exitUnexpectedly);
process.on('unhandledRejection', exitUnexpectedly);

if (Number(process.versions.node.split('.')[0]) < MIN_NODE_VERSION) {
  process.stderr.write(`runward needs Node.js ${MIN_NODE_VERSION} or newer; this is ${process.version}.\n`);
  process.exitCode = EXIT.usage;
} else {
  const code = await runProgram(process.argv.slice(2), realSurroundings());
  // Flushes pipes before the exit.
  await Promise.all([process.stdout, process.stderr].map((stream) => new Promise((done) => stream.write('', done))));
  process.exit(code);
}
