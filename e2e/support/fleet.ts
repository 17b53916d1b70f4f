import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureSshd, type RunningSshd, startSshd } from '../../scripts/lib/sshd.mjs';

/** Real OpenSSH servers on loopback: one sshd, one "host" per address. */
export interface Fleet extends RunningSshd {
  end(): Promise<void>;
}

export async function startFleet(addresses: string[]): Promise<Fleet> {
  const dir = await mkdtemp(join(tmpdir(), 'runward-e2e-fleet-'));
  const sshd = await startSshd({ sshdPath: await ensureSshd(), dir, addresses });
  const end = async (): Promise<void> => {
    await sshd.stop();
    await rm(dir, { recursive: true, force: true });
  };
  return { ...sshd, end };
}
