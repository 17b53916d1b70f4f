import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { stripVTControlCharacters } from 'node:util';
import { childEnvironment, endWithParent, inRoot, productNode, root } from '../paths.mjs';
import { isLive } from '../terminal.mjs';

/** TypeScript project with a separate output folder, so that it does not overwrite the build of `npm start`. */
const PROJECT = 'backend/tsconfig.dev.json';
const RESULT = /Found (\d+) errors?\. Watching for file changes\./;
const NOISE_PATTERN = /Starting (incremental )?compilation|File change detected/;

/**
 * @param onResult called after each compilation with the number of errors
 * @param say called with each line of error output
 */
export function startCompiler({ onResult, say }) {
  const nest = inRoot('node_modules/@nestjs/cli/bin/nest.js');
  const [command, ...args] = [
    ...[...endWithParent(), productNode(), nest],
    ...['build', '--watch', '--path', PROJECT, '--preserveWatchOutput'],
  ];
  const child = spawn(command, args, {
    cwd: root,
    env: childEnvironment(),
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    const text = stripVTControlCharacters(line);
    const result = RESULT.exec(text);
    if (result) onResult(Number(result[1]));
    else if (text.trim() !== '' && !NOISE_PATTERN.test(text)) say(isLive() ? line : text);
  });
  const exited = new Promise((resolve) => child.once('exit', resolve).once('error', resolve));
  const stop = async () => {
    child.kill('SIGTERM');
    await exited;
  };
  return { exited, stop };
}
