/**
 * Process of a cheap fleet (see cheap-fleet.mjs). Answers commands of environments without a journal, with the messages
 * of backend/src/transport/journal/start-acknowledgement.ts. The input after the handshake ends with a nonce, with
 * which the answer begins. A comment `# print N` in the command prints N lines. A comment `# emit N for S` prints N
 * lines a second for S seconds. Each line has the time at which it was written, in ms since 1970. All commands exit
 * with status 0.
 */
import { once } from 'node:events';
import { createServer } from 'node:net';
import ssh2 from 'ssh2';
import { createChallenge } from '../../../backend/dist/transport/journal/handshake.js';

const READY = '\x1erunward-launcher ready\n';
const CHALLENGE = /^runward-handshake (\w+) (\w+)\n/;
const USER = 'bench';

process.once('message', async ({ addresses, authorizedKey }) => {
  const { private: hostKey, public: publicHostKey } = ssh2.utils.generateKeyPairSync('ed25519');
  const allowed = ssh2.utils.parseKey(authorizedKey).getPublicSSH();
  const fleet = new ssh2.Server({ hostKeys: [hostKey] }, (connection) => {
    connection.on('error', () => undefined);
    connection.on('authentication', (login) => {
      const isKnownLogin = login.method === 'publickey' && login.username === USER && login.key.data.equals(allowed);
      if (isKnownLogin) login.accept();
      else login.reject(['publickey']);
    });
    connection.on('session', (accept) =>
      accept().on('exec', (acceptExec) => {
        const channel = acceptExec();
        for (const stream of [channel, channel.stderr]) stream.on('error', () => undefined);
        let input = '';
        channel.write(READY);
        channel
          .on('data', (piece) => {
            input = (input + piece).replace(CHALLENGE, (_, first, second) => {
              channel.write(createChallenge(first + second).answer);
              return '';
            });
          })
          .on('end', () => answer(channel, input));
      }),
    );
  });
  let port = 0;
  for (const host of addresses) {
    const listener = createServer({ noDelay: true }, (socket) => fleet.injectSocket(socket));
    listener.listen({ host, port, backlog: 1024 });
    await once(listener, 'listening');
    port = listener.address().port;
  }
  process.send({ port, user: USER, publicHostKey });
});
process.once('disconnect', () => process.exit(0));

const printed = new Map();
function linesOf(count) {
  const text = () => Array.from({ length: count }, (_, n) => `line ${n + 1} of what a command prints\n`).join('');
  if (!printed.has(count)) printed.set(count, Buffer.from(text()));
  return printed.get(count);
}

const PRINT_INTERVAL_MS = 100;

function answer(channel, input) {
  const end = input.lastIndexOf('\n');
  const nonce = input.slice(end + 1);
  channel.stderr.write(`${nonce} stderr\n`);
  channel.write(`${nonce} 4242\n`);
  const finish = () => {
    channel.exit(0);
    channel.end();
  };
  const [, lines] = /# print (\d+)/.exec(input) ?? [];
  if (Number(lines) > 0) channel.write(linesOf(Number(lines)));
  const [, rate, seconds] = /# emit (\d+) for (\d+)/.exec(input) ?? [];
  if (rate) printLines(channel, { rate: Number(rate), seconds: Number(seconds) }, finish);
  else finish();
}

function printLines(channel, { rate, seconds }, finish) {
  const until = Date.now() + seconds * 1000;
  const timer = setInterval(() => {
    const line = `at ${Date.now()} a line of what a command prints\n`;
    channel.write(line.repeat(Math.round((rate * PRINT_INTERVAL_MS) / 1000)));
    if (Date.now() < until) return;
    clearInterval(timer);
    finish();
  }, PRINT_INTERVAL_MS);
  channel.once('close', () => clearInterval(timer));
}
