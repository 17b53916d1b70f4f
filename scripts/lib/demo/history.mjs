/** Stores 60 days of sample history, which is derived from the demo's first runs. */
import { spawn } from 'node:child_process';
import { childEnvironment, inRoot, productNode, root } from '../paths.mjs';
import { OPERATORS, REVIEWER } from './content/fleet.mjs';
import { PAST } from './content/past.mjs';

const DAYS = 60;
const LABEL = { sample: 'history' };

export async function hasHistory(api) {
  const { items } = await api.get('/api/executions?limit=1&label=sample%3Dhistory');
  return items.length > 0;
}

/**
 * @param env settings of the running server
 * @throws Error with the last lines of the program's output
 */
export async function storeHistory(tenant, env) {
  const child = spawn(productNode(), [inRoot('tools/seeding/history/main.mjs')], {
    cwd: root,
    env: childEnvironment(env),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => output.push(data));
  const ended = new Promise((resolve, reject) => child.once('close', resolve).once('error', reject));
  child.stdin.end(
    JSON.stringify({
      tenant,
      days: DAYS,
      note: 'Sample history',
      labels: LABEL,
      starters: OPERATORS.map(({ email }) => email),
      approver: REVIEWER.email,
      plans: PAST,
    }),
  );
  if ((await ended) === 0) return;
  const tail = Buffer.concat(output).toString().trim().split('\n').slice(-15).join('\n');
  throw new Error(`The sample history could not be stored:\n${tail}`);
}
