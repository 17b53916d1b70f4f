import { glob, mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { ensureSshd, startSshd, type RunningSshd, type SshdOptions } from '../../../scripts/lib/sshd.mjs';
import { generateKeyPair, type KeyMaterial } from '../../src/transport/keys/key-material.js';
import type { SshTarget } from '../../src/transport/connection/ssh-connection.js';

/** Real hosts, each with its own loopback address and host key, and one SSH key that may log in. */
export interface SshHosts {
  sshd: RunningSshd;
  key: KeyMaterial;
  /** By default the first address. */
  target(changes?: Partial<SshTarget>): SshTarget;
  /** Host key of an address in the format of the API; default: the first address. */
  hostKey(address?: string): { publicKey: string };
  /** Log of the servers, at their `LogLevel`. */
  log(): Promise<string>;
  stop(): Promise<void>;
}

export async function startSshHosts(
  options: Pick<SshdOptions, 'addresses' | 'extraConfig' | 'hostKeyType' | 'oneMachine'> = {},
): Promise<SshHosts> {
  const dir = await mkdtemp(path.join(os.tmpdir(), 'runward-hosts-'));
  const key = await generateKeyPair({ type: 'ed25519', comment: 'test' });
  const sshd = await startSshd({ sshdPath: await ensureSshd(), dir, authorizedKeys: [key.publicKey], ...options });
  return {
    sshd,
    key,
    target: (changes) => ({
      host: sshd.addresses[0] ?? '127.0.0.1',
      port: sshd.port,
      username: sshd.user,
      privateKey: key.privateKey,
      hostKeys: [sshd.hostKeyOf(changes?.host ?? '')],
      legacyAlgorithms: false,
      ...changes,
    }),
    hostKey: (address = '') => {
      const { type, publicKey } = sshd.hostKeyOf(address);
      return { publicKey: `${type} ${publicKey}` };
    },
    log: async () => {
      let text = '';
      for await (const file of glob(path.join(dir, '**/sshd.log'))) text += await readFile(file, 'utf8');
      return text;
    },
    stop: async () => {
      await sshd.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
