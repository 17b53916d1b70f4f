/**
 * Thousands of SSH hosts on loopback addresses, in one process that starts no programs. Shows the cost of a run for
 * Runward alone, without the cost of sshd and shells on real hosts. Supports only environments without a journal, and
 * no file uploads.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createHash } from 'node:crypto';
import { join } from 'node:path';

/** Must match the addresses of `storeServers` in tools/bench/lib/stored-servers.mjs. */
export const addressesOf = (count) =>
  Array.from({ length: count }, (_, n) => `127.1.${Math.floor((n + 1) / 250)}.${((n + 1) % 250) + 1}`);

export async function startCheapFleet({ hosts, publicKey, privateKey }) {
  const child = fork(join(import.meta.dirname, 'cheap-fleet-process.mjs'));
  const ended = once(child, 'exit');
  child.send({ addresses: addressesOf(hosts), authorizedKey: publicKey });
  const [readyMessage] = await Promise.race([
    once(child, 'message'),
    ended.then(() => Promise.reject(new Error('The fleet did not start. Check the limit of open files (ulimit -n).'))),
  ]);
  const [type, key] = readyMessage.publicHostKey.split(' ');
  const fingerprint = `SHA256:${createHash('sha256').update(Buffer.from(key, 'base64')).digest('base64').replace(/=+$/, '')}`;
  return {
    pid: child.pid,
    port: readyMessage.port,
    username: readyMessage.user,
    hostKey: { type, publicKey: key, fingerprint },
    privateKey,
    async stop() {
      child.disconnect();
      await ended;
    },
  };
}
