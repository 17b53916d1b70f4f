/**
 * Does a job on many hosts with ssh2 alone and stores nothing: the minimum cost. Reads JSON from standard input: `{
 * addresses, port, user, privateKey, hostKey, upload, command, lines }`. Exits with status 1 if a host fails or prints
 * another number of lines.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import ssh2 from 'ssh2';

/** Number of hosts in parallel, equal to the slots of Runward's worker. */
const AT_ONCE = 50;
const job = JSON.parse(await text(process.stdin));
const waiting = [...job.addresses];
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    for (let host = waiting.shift(); host; host = waiting.shift()) await work(host);
  }),
);

async function work(host) {
  const sock = connect({ host, port: job.port, noDelay: true });
  await once(sock, 'connect');
  const client = new ssh2.Client();
  client.connect({
    sock,
    username: job.user,
    authHandler: [{ type: 'publickey', username: job.user, key: job.privateKey }],
    algorithms: { kex: ['curve25519-sha256'] },
    hostVerifier: (key) => key.toString('base64') === job.hostKey,
  });
  await once(client, 'ready');
  if (job.upload) await execute(client, `cat > /tmp/runward-bench-${host}`, job.upload);
  const lines = await execute(client, job.command, '');
  if (lines !== job.lines) throw new Error(`${host} printed ${lines} lines.`);
  client.end();
}

async function execute(client, command, input) {
  const channel = await new Promise((resolve, reject) =>
    client.exec(command, (error, opened) => (error ? reject(error) : resolve(opened))),
  );
  let lines = 0;
  channel.on('data', (piece) => {
    for (const byte of piece) if (byte === 0x0a) lines += 1;
  });
  const closed = once(channel, 'close');
  channel.end(input);
  const [code] = await closed;
  if (code !== 0) throw new Error(`The command ended with ${code}.`);
  return lines;
}
