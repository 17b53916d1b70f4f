/**
 * Process of flooding hosts (see scripts/lib/flooding-host.mjs). It is a separate process, so that its processor time
 * is not counted.
 */
import { generateKeyPairSync } from 'node:crypto';
import { startFloodingHost } from '../../../scripts/lib/flooding-host.mjs';

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
const key = privateKey.export({ format: 'pem', type: 'sec1' });
let hosts = [];

/** Replaces the running hosts with hosts of this kind; null: only stops the running hosts. */
process.on('message', async ({ kind, addresses, port }) => {
  const connections = hosts.reduce((sum, host) => sum + host.connections, 0);
  for (const host of hosts) await host.stop();
  hosts = [];
  for (const address of kind === null ? [] : addresses)
    hosts.push(
      await startFloodingHost(kind, { privateKey: key, address, port: hosts[0]?.port ?? port, maxBytes: 1e12 }),
    );
  process.send({ connections, port: hosts[0]?.port, publicKey: hosts[0]?.publicKey.toString('base64') });
});
process.once('disconnect', () => process.exit(0));
