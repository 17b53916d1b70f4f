import type { Answer, ApiClient } from './api-client.js';

export interface EnvironmentScene {
  environmentId: string;
  keyId: string;
  serverId: string;
  planId: string;
}

export interface SceneOptions {
  name: string;
  /** Fields for the request with which an admin creates the environment. */
  environment?: object;
  /** Address of the server; default: an address where nothing listens. */
  hostname?: string;
  port?: number;
  username?: string;
  keyId?: string;
  hostKey?: { publicKey: string };
  plan?: object;
}

export async function makeScene(api: ApiClient, options: SceneOptions): Promise<EnvironmentScene> {
  const { name, environment, hostname = '127.0.0.1', port = 1, username = 'deploy', hostKey, plan } = options;
  const environmentId = await made(api.post('/api/environments', { name, ...environment }));
  const keyId =
    options.keyId ?? (await made(api.post('/api/ssh-keys', { name: `${name} key`, generate: { type: 'ed25519' } })));
  const serverId = await made(
    api.post('/api/inventory/servers', {
      name: `${name}-1`,
      hostname,
      port,
      username,
      sshKeyId: keyId,
      environmentId,
      ...(hostKey ? { hostKey } : {}),
    }),
  );
  const planId = await made(
    api.post('/api/plans', { name: `${name} plan`, environmentId, steps: [{ key: 'one', command: 'true' }], ...plan }),
  );
  return { environmentId, keyId, serverId, planId };
}

/** Returns the ID of the created record. @throws Error with the response if nothing was created */
export async function made(answer: Promise<Answer>): Promise<string> {
  const { status, body, text } = await answer;
  if (status !== 201) throw new Error(`Nothing was made: ${status} ${text}`);
  return (body as { id: string }).id;
}

/** Removes values that differ between equal requests. */
export const comparable = ({ status, text, headers }: Answer): object => ({
  status,
  text: text.replace(/"requestId":"[^"]*"/, '"requestId":"…"'),
  type: headers.get('content-type'),
  length: headers.get('content-length'),
});
