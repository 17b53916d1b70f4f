import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureSshd, startSshd } from '../../../scripts/lib/sshd.mjs';
import { registerFleet, startRunward } from './runward.mjs';

/**
 * Registers `hosts` hosts, runs `work`, then deletes everything.
 * @param settings environment variables of Runward
 */
export async function withFleet({ hosts, settings = {} }, work) {
  const folder = mkdtempSync(join(tmpdir(), 'runward-bench-'));
  const ends = [() => rmSync(folder, { recursive: true, force: true })];
  try {
    const addresses = Array.from({ length: hosts }, (_, n) => `127.0.${1 + Math.floor(n / 250)}.${1 + (n % 250)}`);
    const fleet = await startSshd({
      sshdPath: await ensureSshd({ log: console.error }),
      dir: join(folder, 'fleet'),
      addresses,
      // Hundreds of SSH server processes would dominate the measurement.
      oneMachine: true,
    });
    ends.push(() => fleet.stop());
    const runward = await startRunward(folder, settings);
    ends.push(runward.end);
    const key = await runward.call('POST', '/api/ssh-keys', { name: 'bench', generate: { type: 'ed25519' } });
    await fleet.addAuthorizedKey(key.publicKey);
    const environmentId = await registerFleet(runward, fleet, addresses, key.id);
    await work({ folder, fleet, addresses, runward, key, environmentId });
  } finally {
    for (const end of ends.reverse()) await end();
  }
}
