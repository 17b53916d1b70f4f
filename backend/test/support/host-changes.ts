import { randomBytes, randomUUID } from 'node:crypto';
import type { HostColumn } from '../../src/inventory/fields/server-fields.js';
import { type ApiClient, apiClient } from './api-client.js';

export interface ChangedServer {
  id: string;
  name: string;
  hostname: string;
  /** ID in the external system `cmdb`. */
  externalId: string;
  environmentId: string;
  publicKey: string;
}

/** Placeholder for the key that the server already pins. */
const PINNED = 'pinned';

/** Changed fields; `gone` deletes the server. */
export interface RequestedHost {
  hostname?: string;
  port?: number;
  jumpServerId?: string | null;
  hostKeys?: { publicKey: string; certAuthority?: boolean }[];
  legacyAlgorithms?: boolean;
  environmentId?: string;
  gone?: true;
}

export interface ChangeContext {
  approver: ApiClient;
  sshKeyId: string;
  /** An unprotected environment. */
  open: string;
  /** Jump server that members may use. */
  jump: { id: string; name: string };
  /** `replacing` has the type of a pinned key, `further` another type. */
  keys: { replacementKeyId: string; further: string };
  /** Stores a check that found this host key. @returns fingerprint of the key */
  seen(server: ChangedServer, publicKey: string): Promise<string>;
}

export const hostChanges = ({
  keys,
  jump,
}: ChangeContext): Record<HostColumn, [name: string, requested: RequestedHost][]> => ({
  hostname: [['another address', { hostname: '10.99.0.1' }]],
  port: [['another port', { port: 2222 }]],
  jumpServerId: [
    ['another jump server', { jumpServerId: jump.id }],
    ['no jump server', { jumpServerId: null }],
  ],
  legacyAlgorithms: [['legacy algorithms', { legacyAlgorithms: true }]],
  hostKey: [
    ['another host key', { hostKeys: [{ publicKey: keys.replacementKeyId }] }],
    ['no host key', { hostKeys: [] }],
  ],
  moreHostKeys: [
    ['one more host key', { hostKeys: [{ publicKey: PINNED }, { publicKey: keys.further }] }],
    ['an authority', { hostKeys: [{ publicKey: PINNED }, { publicKey: keys.further, certAuthority: true }] }],
  ],
});

export const requestedFields = (server: ChangedServer, { hostKeys, ...requested }: RequestedHost): RequestedHost => ({
  ...requested,
  ...(hostKeys && {
    hostKeys: hostKeys.map((key) => (key.publicKey === PINNED ? { ...key, publicKey: server.publicKey } : key)),
  }),
});

export function anyHostKey(): string {
  const field = (bytes: Buffer) => Buffer.concat([Buffer.from([0, 0, 0, bytes.length]), bytes]);
  const blob = Buffer.concat([field(Buffer.from('ssh-ed25519')), field(randomBytes(32))]);
  return `ssh-ed25519 ${blob.toString('base64')}`;
}

export const departures = ({ open }: ChangeContext): [name: string, requested: RequestedHost][] => [
  ['a move', { environmentId: open }],
  ['its deletion', { gone: true }],
];

export type HostChange = readonly [server: ChangedServer, requested: RequestedHost];

interface ChangeRoute {
  takes: (requested: RequestedHost) => boolean;
  /** Makes those of the changes that are permitted. */
  send: (api: ApiClient, changes: readonly HostChange[], means: ChangeContext) => Promise<unknown>;
}

const SERVERS = '/api/inventory/servers';
const at = ({ id }: ChangedServer) => `${SERVERS}/${id}`;
const base = (server: ChangedServer, { sshKeyId }: ChangeContext) => {
  const { name, hostname, environmentId } = server;
  return { name, hostname, username: 'deploy', sshKeyId, environmentId };
};
const jumpName = ({ jumpServerId }: RequestedHost, { jump }: ChangeContext) =>
  jumpServerId === undefined ? {} : { jumpServer: jumpServerId === null ? null : jump.name };
const oneKey = ({ hostKeys = [] }: RequestedHost) => (hostKeys.length === 1 ? hostKeys[0] : undefined);

const single = (
  takes: ChangeRoute['takes'],
  send: (api: ApiClient, server: ChangedServer, requested: RequestedHost, means: ChangeContext) => Promise<unknown>,
): ChangeRoute => ({
  takes,
  send: async (api, changes, means) => {
    for (const [server, requested] of changes) await send(api, server, requested, means);
  },
});

/** Route that imports all servers of an environment and skips changes that are not permitted. */
const importing = (
  takes: ChangeRoute['takes'],
  format: string,
  text: (changes: readonly HostChange[], means: ChangeContext) => string,
  order: object = {},
  applied = false,
): ChangeRoute => ({
  takes,
  send: async (api, changes, means) => {
    for (const environmentId of new Set(
      changes.map(([server, requested]) => requested.environmentId ?? server.environmentId),
    )) {
      const some = changes.filter(
        ([server, requested]) => (requested.environmentId ?? server.environmentId) === environmentId,
      );
      const content = text(some, means);
      const request = { ...{ format, content, environmentId, skipFaulty: true, pruneLimitPercent: 100 }, ...order };
      const path = `${SERVERS}/import?wait=50`;
      if (!applied) await api.post(path, request);
      else {
        const { body } = await means.approver.post<{ id: string }>(`${path}&preview=true`, request);
        await api.post(`/api/inventory/imports/${body.id}/apply?wait=50`, {});
      }
    }
  },
});
const entry = (
  [server, { hostname, port, hostKeys, legacyAlgorithms, ...rest }]: HostChange,
  means: ChangeContext,
) => ({
  ...{ name: server.name, externalId: server.externalId, hostname, port, hostKeys, legacyAlgorithms },
  ...jumpName(rest, means),
});
const json = (changes: readonly HostChange[], means: ChangeContext) =>
  JSON.stringify(changes.map((change) => entry(change, means)));
const jsonByName = (changes: readonly HostChange[], means: ChangeContext) =>
  JSON.stringify(changes.map((change) => ({ ...entry(change, means), externalId: undefined })));
const keepsEnvironment = ({ gone, environmentId }: RequestedHost) => !gone && environmentId === undefined;

/** All routes that can change a server, once for each form of the request. */
export const CHANGE_ROUTES: Record<string, ChangeRoute> = {
  'PATCH /servers/{id}': single(
    ({ hostKeys, gone }) => !hostKeys && !gone,
    (api, server, requested) => api.patch(at(server), requested),
  ),
  'DELETE /servers/{id}': single(
    ({ gone }) => gone === true,
    (api, server) => api.delete(at(server)),
  ),
  'PUT /servers/{id}/host-keys': single(
    ({ hostKeys }) => hostKeys !== undefined,
    (api, server, { hostKeys }) => api.put(`${at(server)}/host-keys`, { hostKeys }),
  ),
  'PUT /servers/{id}/host-key': single(
    (requested) => oneKey(requested) !== undefined,
    async (api, server, requested, means) => {
      const fingerprint = await means.seen(server, oneKey(requested)?.publicKey ?? '');
      await api.put(`${at(server)}/host-key`, { fingerprint });
    },
  ),
  'PUT /servers/by-external-id': single(
    ({ gone }) => !gone,
    (api, server, requested, means) =>
      api.put(`${SERVERS}/by-external-id/cmdb/${server.externalId}`, { ...base(server, means), ...requested }),
  ),
  'PUT /servers/by-external-id hostKey': single(
    (requested) => oneKey(requested) !== undefined,
    (api, server, requested, means) =>
      api.put(`${SERVERS}/by-external-id/cmdb/${server.externalId}`, {
        ...base(server, means),
        hostKey: oneKey(requested),
      }),
  ),
  'PUT /servers/by-external-id jumpServer': single(
    ({ jumpServerId }) => jumpServerId !== undefined,
    (api, server, requested, means) =>
      api.put(`${SERVERS}/by-external-id/cmdb/${server.externalId}`, {
        ...base(server, means),
        ...jumpName(requested, means),
      }),
  ),
  'POST /servers/import by name': importing(keepsEnvironment, 'json', jsonByName),
  'POST /servers/import by external id': importing(({ gone }) => !gone, 'json', json, { source: 'cmdb' }),
  'POST /imports/{id}/apply': importing(keepsEnvironment, 'json', jsonByName, {}, true),
  'POST /servers/import prune': importing(
    ({ gone }) => gone === true,
    'json',
    () => JSON.stringify([{ name: 'unknown', hostname: 'unknown.invalid' }]),
    { source: 'cmdb', prune: 'remove' },
  ),
  'POST /servers/import ansible-ini': importing(
    ({ hostname, port }) => (hostname ?? port) !== undefined,
    'ansible-ini',
    (changes) =>
      changes
        .map(([{ name }, { hostname, port }]) =>
          [name, ...(hostname ? [`ansible_host=${hostname}`] : []), ...(port ? [`ansible_port=${port}`] : [])].join(
            ' ',
          ),
        )
        .join('\n'),
  ),
  'POST /servers/import ssh-config': importing(
    ({ hostname, port, jumpServerId }) => (hostname ?? port ?? jumpServerId) !== undefined || jumpServerId === null,
    'ssh-config',
    (changes, { jump }) =>
      changes
        .flatMap(([{ name }, { hostname, port, jumpServerId }]) => [
          `Host ${name}`,
          ...(hostname ? [`  HostName ${hostname}`] : []),
          ...(port ? [`  Port ${port}`] : []),
          ...(jumpServerId === undefined ? [] : [`  ProxyJump ${jumpServerId === null ? 'none' : jump.name}`]),
        ])
        .join('\n'),
  ),
  'POST /servers/bulk': {
    takes: ({ gone, environmentId, legacyAlgorithms }) =>
      gone === true || (environmentId ?? legacyAlgorithms) !== undefined,
    send: async (api, changes) => {
      for (const [server, { gone, environmentId, legacyAlgorithms }] of changes)
        await api.post(`${SERVERS}/bulk`, {
          ...{ serverIds: [server.id], expectedCount: 1 },
          ...(gone ? { action: 'delete' } : { action: 'change', environmentId, legacyAlgorithms }),
        });
    },
  },
};

/** Returns a client with a token of the member. @param scope restrictions of the token */
export async function clientWithScope(url: string, api: ApiClient, scope: object): Promise<ApiClient> {
  const { body, status, text } = await api.post<{ token: string }>('/api/tokens', { name: randomUUID(), scope });
  if (status !== 201) throw new Error(text);
  return apiClient(url, body);
}
