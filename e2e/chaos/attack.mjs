/** Hostile host that floods the connections of its own run while other runs continue. */
import { generateKeyPairSync } from 'node:crypto';
import { startFloodingHost } from '../../scripts/lib/flooding-host.mjs';

let attackCount = 0;

/**
 * Starts a flooding host and a run on it.
 * @returns {Promise<{ stop(): Promise<void> }>}
 */
export async function attack({ client, keyId }, kind) {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const host = await startFloodingHost(kind, { privateKey: privateKey.export({ format: 'pem', type: 'sec1' }) });
  const post = (path, body) => client.demand('POST', path, body);
  try {
    attackCount += 1;
    const name = `attack ${process.pid} ${attackCount}`;
    const { id: environmentId } = await post('/api/environments', { name });
    await post('/api/inventory/servers', {
      name: name.replaceAll(' ', '-'),
      hostname: '127.0.0.1',
      port: host.port,
      username: 'runward',
      sshKeyId: keyId,
      environmentId,
      hostKey: { publicKey: `ecdsa-sha2-nistp256 ${host.publicKey.toString('base64')}` },
    });
    const { id: planId } = await post('/api/plans', {
      name,
      environmentId,
      steps: [{ key: 'attacked', command: 'true' }],
    });
    await post('/api/executions', { planId, execution_mode: 'auto' });
    return host;
  } catch (error) {
    await host.stop();
    throw error;
  }
}
