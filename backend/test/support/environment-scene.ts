import type { Answer, ApiClient } from './api-client.js';

/** Records of one environment, made through the API. */
export interface EnvironmentScene {
  environmentId: string;
  keyId: string;
  serverId: string;
  planId: string;
}

export interface SceneOptions {
  name: string;
  /** Fields of the environment; admins may send all of them. */
  environment?: object;
  /** Where the server is reached; nobody listens there unless told. */
  hostname?: string;
  port?: number;
  username?: string;
  /** An SSH key that is there already. */
  keyId?: string;
  hostKey?: { publicKey: string };
  plan?: object;
}

/** Makes an environment with a key, a server and a plan of its own. */
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

/** The id of what was made. @throws Error with the answer when nothing was */
export async function made(answer: Promise<Answer>): Promise<string> {
  const { status, body, text } = await answer;
  if (status !== 201) throw new Error(`Nothing was made: ${status} ${text}`);
  return (body as { id: string }).id;
}

/** The answer without what tells one request from another. */
export const comparable = ({ status, text, headers }: Answer): object => ({
  status,
  text: text.replace(/"requestId":"[^"]*"/, '"requestId":"…"'),
  type: headers.get('content-type'),
  length: headers.get('content-length'),
});
