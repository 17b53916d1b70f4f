import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureSshd, type RunningSshd, startSshd } from '../../scripts/lib/sshd.mjs';

/** Real OpenSSH servers on loopback addresses, one host per address. */
export interface Fleet extends RunningSshd {
  end(): Promise<void>;
}

/** @param extraConfig lines of sshd_config */
export async function startFleet(addresses: string[], extraConfig?: string): Promise<Fleet> {
  const dir = await mkdtemp(join(tmpdir(), 'runward-e2e-fleet-'));
  const remove = (): Promise<void> => rm(dir, { recursive: true, force: true });
  const sshd = await startSshd({ sshdPath: await ensureSshd(), dir, addresses, extraConfig }).catch(
    async (error: unknown) => {
      await remove();
      throw error;
    },
  );
  const end = async (): Promise<void> => {
    await sshd.stop();
    await remove();
  };
  return { ...sshd, end };
}
