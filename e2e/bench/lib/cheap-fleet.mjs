/**
 * Thousands of SSH hosts on loopback addresses in one process that starts no program: what a run of many hosts costs Runward,
 * apart from what sshd and a shell cost a real host. For environments without a journal; files can't be uploaded.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createHash } from 'node:crypto';
import { join } from 'node:path';

/** As `storeServers` of backend/bench/lib/stored-servers.mjs spreads them. */
export const addressesOf = (count) =>
  Array.from({ length: count }, (_, n) => `127.1.${Math.floor((n + 1) / 250)}.${((n + 1) % 250) + 1}`);

/** Starts it. @returns what `storeServers` takes as hosts, and how it is ended */
export async function startCheapFleet({ hosts, publicKey, privateKey }) {
  const child = fork(join(import.meta.dirname, 'cheap-fleet-process.mjs'));
  const ended = once(child, 'exit');
  child.send({ addresses: addressesOf(hosts), authorizedKey: publicKey });
  const [told] = await Promise.race([
    once(child, 'message'),
    ended.then(() => Promise.reject(new Error('The fleet did not start; are enough open files allowed (ulimit -n)?'))),
  ]);
  const [type, key] = told.publicHostKey.split(' ');
  const fingerprint = `SHA256:${createHash('sha256').update(Buffer.from(key, 'base64')).digest('base64').replace(/=+$/, '')}`;
  return {
    pid: child.pid,
    port: told.port,
    username: told.user,
    hostKey: { type, publicKey: key, fingerprint },
    privateKey,
    async stop() {
      child.disconnect();
      await ended;
    },
  };
}
