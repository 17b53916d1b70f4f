import { readFileSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Fleet, startFleet } from './fleet.js';

/** Hosts with `~/.ssh/authorized_keys`, each with a separate home. */
export interface KeyFleet extends Fleet {
  keysOn(address: string): Promise<string>;
  writeKeys(address: string, text: string): Promise<void>;
  home(address: string): string;
}

export async function startKeyFleet(addresses: string[]): Promise<KeyFleet> {
  const dir = await mkdtemp(join(tmpdir(), 'runward-e2e-homes-'));
  await chmod(dir, 0o755);
  const file = (address: string): string => join(dir, address, '.ssh/authorized_keys');
  const matches = addresses.map(
    (address) =>
      `Match LocalAddress ${address}\n  AuthorizedKeysFile ${file(address)}\n  SetEnv HOME=${join(dir, address)}\n`,
  );
  const included = join(dir, 'homes.conf');
  await writeFile(included, matches.join(''));
  const fleet = await startFleet(addresses, `Include ${included}`);
  const owner = ownerOf(fleet.user);
  const give = async (path: string): Promise<void> => owner && chown(path, owner.uid, owner.gid);
  const made: KeyFleet = {
    ...fleet,
    home: (address) => join(dir, address),
    keysOn: (address) => readFile(file(address), 'utf8'),
    writeKeys: async (address, text) => {
      await writeFile(file(address), text, { mode: 0o600 });
      await give(file(address));
    },
    end: async () => {
      await fleet.end();
      await rm(dir, { recursive: true, force: true });
    },
  };
  for (const address of addresses) {
    await mkdir(join(dir, address, '.ssh'), { recursive: true, mode: 0o700 });
    await give(join(dir, address));
    await give(join(dir, address, '.ssh'));
    await made.writeKeys(address, '');
  }
  return made;
}

/** Undefined if the tests run as the login user. */
function ownerOf(user: string): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((each) => each.startsWith(`${user}:`));
  const [, , uid, gid] = line?.split(':') ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}
