import { chmod, chown, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type SshHosts, startSshHosts } from './ssh-hosts.js';

/** Real hosts with `~/.ssh/authorized_keys`. Each has its own loopback address and home; all have the same host key. */
export interface KeyHosts {
  hosts: SshHosts;
  addresses: string[];
  home(address: string): string;
  keysOn(address: string): Promise<string>;
  writeKeys(address: string, text: string): Promise<void>;
  stop(): Promise<void>;
}

/**
 * @param sharing addresses that share one home
 * @param elsewhere addresses whose sshd reads keys from another file
 */
export async function startKeyHosts(
  addresses: string[],
  {
    sharedKeyHosts = [],
    elsewhere = [],
    extraConfig = '',
  }: { sharedKeyHosts?: string[]; elsewhere?: string[]; extraConfig?: string } = {},
): Promise<KeyHosts> {
  const dir = await mkdtemp(path.join(os.tmpdir(), 'runward-homes-'));
  await chmod(dir, 0o755);
  const home = (address: string) => path.join(dir, sharedKeyHosts.includes(address) ? 'shared' : address);
  const matches = addresses.map((address) => {
    const file = path.join(home(address), elsewhere.includes(address) ? 'keys' : '.ssh/authorized_keys');
    return `Match LocalAddress ${address}\n  AuthorizedKeysFile ${file}\n  SetEnv HOME=${home(address)}\n`;
  });
  const includedConfig = path.join(dir, 'homes.conf');
  await writeFile(includedConfig, matches.join(''));
  const hosts = await startSshHosts({
    addresses,
    oneMachine: true,
    extraConfig: `${extraConfig}\nInclude ${includedConfig}`,
  });
  const owner = ownerOf(hosts.sshd.user);
  const give = async (file: string) => owner && (await chown(file, owner.uid, owner.gid));
  const keysFile = (address: string) => path.join(home(address), '.ssh/authorized_keys');
  const made: KeyHosts = {
    hosts,
    addresses,
    home,
    keysOn: (address) => readFile(keysFile(address), 'utf8'),
    async writeKeys(address, text) {
      await writeFile(keysFile(address), text, { mode: 0o600 });
      await give(keysFile(address));
    },
    async stop() {
      await hosts.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
  for (const address of addresses) {
    await mkdir(path.join(home(address), '.ssh'), { recursive: true, mode: 0o700 });
    for (const folder of [home(address), path.join(home(address), '.ssh')]) await give(folder);
    if (elsewhere.includes(address)) {
      await writeFile(path.join(home(address), 'keys'), `${hosts.key.publicKey}\n`);
      await made.writeKeys(address, '# nothing here\n');
    } else await made.writeKeys(address, `${hosts.key.publicKey}\n`);
  }
  return made;
}

function ownerOf(user: string): { uid: number; gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((each) => each.startsWith(`${user}:`));
  const [, , uid, gid] = line?.split(':') ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}
