/**
 * Lists the product files with a function that runs during one start request, and during the run in the worker. Code
 * that only runs at import or start-up does not count. Build first. Usage: node tools/bench/start-files.mjs [--list]
 */
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import { ensureSshd, startSshd } from '../../scripts/lib/sshd.mjs';
import { generateKeyPair } from '../../backend/dist/transport/keys/key-material.js';
import { freePort, startBench } from './lib/bench-runward.mjs';

const { values } = parseArgs({ options: { list: { type: 'boolean', default: false } } });
const DIST = join(import.meta.dirname, '../../backend/dist');

const [apiPort, workerPort] = [await freePort(), await freePort()];
const inspect = (port) => [`--inspect=127.0.0.1:${port}`];
// The bundle has no files, so the programs are the compiled files.
const bench = await startBench({}, { program: join(DIST, 'main.js'), apiOptions: inspect(apiPort) });
const ends = [() => bench.close()];
try {
  const key = await generateKeyPair({ type: 'ed25519', comment: 'bench' });
  const sshd = await startSshd({
    sshdPath: await ensureSshd(),
    dir: join(bench.dir, 'sshd'),
    authorizedKeys: [key.publicKey],
  });
  ends.push(() => sshd.stop());
  const planId = await createPlan(sshd, key.privateKey);
  await bench.worker({}, inspect(workerPort));
  const [request, run] = [await openCoverage(apiPort), await openCoverage(workerPort)];
  // Processes do not end while an inspector is connected.
  ends.push(request.close, run.close);
  // The first run fills caches and installs the journal on the host.
  await settled(await start(planId));
  await Promise.all([request.take(), run.take()]);
  const id = await start(planId);
  report('Start request', await request.take());
  await settled(id);
  report('Run in the worker', await run.take());
} finally {
  for (const end of ends.reverse()) await end();
}

async function createPlan({ hostKey, port, user }, privateKey) {
  const create = async (resource, body) =>
    (await bench.send('POST', `/api/${resource}`, { name: 'bench', ...body })).id;
  const environmentId = await create('environments', {});
  const sshKeyId = await create('ssh-keys', { privateKey });
  const hostname = '127.0.0.1';
  const publicKey = `${hostKey.type} ${hostKey.publicKey}`;
  const server = { hostname, port, username: user, sshKeyId, environmentId, hostKey: { publicKey } };
  await create('inventory/servers', server);
  return create('plans', { environmentId, steps: [{ key: 'one', command: 'echo one' }] });
}

async function start(planId) {
  return (await bench.send('POST', '/api/executions', { planId, execution_mode: 'auto' })).id;
}

async function settled(id) {
  const { status } = await bench.get(`/api/executions/${id}?wait=40&until=settled`);
  if (status !== 'SUCCEEDED') throw new Error(`The run is ${status}.`);
}

function report(what, files) {
  console.log(`${what}: ${files.length} files`);
  if (values.list) for (const file of files) console.log(`  ${file}`);
}

/** Counts calls in a process through its inspector. `take` returns the files with calls since the previous `take`. */
async function openCoverage(port) {
  const [{ webSocketDebuggerUrl }] = await (await fetch(`http://127.0.0.1:${port}/json/list`)).json();
  const socket = new WebSocket(webSocketDebuggerUrl);
  await once(socket, 'open');
  // One call at a time, and no notifications are enabled: the next message is the answer.
  const call = async (method, params = {}) => {
    socket.send(JSON.stringify({ id: 1, method, params }));
    const { data } = await once(socket, 'message');
    const { result, error } = JSON.parse(data);
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  };
  await call('Profiler.enable');
  await call('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  return {
    async take() {
      const { result: scripts } = await call('Profiler.takePreciseCoverage');
      return scripts
        .filter(({ url, functions }) => url.startsWith(`file://${DIST}/`) && functions.some(isCalled))
        .map(({ url }) => relative(DIST, fileURLToPath(url)).replace(/\.js$/, '.ts'))
        .sort();
    },
    close: () => socket.close(),
  };
}

function once(target, event) {
  return new Promise((resolve) => target.addEventListener(event, resolve, { once: true }));
}

/** Excludes the code of the file itself, which runs at import. It is the only function that begins at offset 0. */
function isCalled({ ranges: [{ startOffset, count }] }) {
  return count > 0 && startOffset > 0;
}
