import { PASSWORD, type TestMember } from './installation.js';

/** One record of each kind, all in one tenant. */
export interface OneOfEach {
  protectionChangeId: string;
  departureId: string;
  environmentId: string;
  sshKeyId: string;
  serverId: string;
  jumpServerId: string;
  /** Requested, but without a preview, which a worker would calculate. */
  importId: string;
  /** Started, but not carried out. No other server uses its key. */
  keyRotationId: string;
  enrolmentId: string;
  gitSourceId: string;
  scriptId: string;
  templateId: string;
  collectionId: string;
  bookmarkId: string;
  parentId: string;
  planId: string;
  executionId: string;
  /** Reports nothing, because no worker dispatches events. */
  notificationRuleId: string;
  scheduleId: string;
  webhookId: string;
  /** A failed test delivery to a name that does not exist. */
  deliveryId: string;
  tokenId: string;
  memberId: string;
  sessionId: string;
  serviceAccountId: string;
  trustRuleId: string;
  ownSessionId: string;
}

const VARIABLE = 'REGION';
/** External system of all servers of {@link makeOneOfEach}. External IDs are unique only within a tenant. */
const SOURCE = 'cmdb';
const EXTERNAL_ID = 'device-1';

/** Records whose content no run of the environment uses. */
export type FurtherRecords = Pick<
  OneOfEach,
  | 'gitSourceId'
  | 'notificationRuleId'
  | 'webhookId'
  | 'deliveryId'
  | 'tokenId'
  | 'memberId'
  | 'sessionId'
  | 'serviceAccountId'
  | 'trustRuleId'
  | 'ownSessionId'
>;

/**
 * Creates one record of each kind as a signed-in admin. All texts that lists or searches could show contain `word`. The
 * run stays `PENDING` until a worker starts.
 * @param reused records to return instead of new ones, which saves two password hashes
 */
export async function makeOneOfEach(admin: TestMember, word: string, reused?: FurtherRecords): Promise<OneOfEach> {
  const make = async (path: string, body: object): Promise<string> => {
    const answer = await admin.api.post<{ id: string }>(path, body);
    if (answer.status !== 201) throw new Error(`POST ${path} answered ${answer.status}: ${answer.text}`);
    return answer.body.id;
  };
  const put = async (path: string, body: object): Promise<void> => {
    const answer = await admin.api.put(path, body);
    if (answer.status !== 200) throw new Error(`PUT ${path} answered ${answer.status}: ${answer.text}`);
  };
  const sessionIn = async (path: string): Promise<string> => {
    const answer = await admin.api.get<{ items: { id: string }[] }>(path);
    const [session] = answer.body.items;
    if (!session) throw new Error(`GET ${path} lists no session.`);
    return session.id;
  };
  const environmentId = await make('/api/environments', { name: `${word}-environment`, description: word });
  const sshKeyId = await make('/api/ssh-keys', { name: `${word}-key`, generate: { type: 'ed25519' } });
  // Only one server per tenant can have this external ID.
  const known = await admin.api.get(`/api/inventory/servers/by-external-id/${SOURCE}/${EXTERNAL_ID}`);
  const origin = known.status === 404 ? { externalSource: SOURCE, externalId: EXTERNAL_ID } : {};
  const serverId = await make('/api/inventory/servers', {
    name: `${word}-server`,
    hostname: `${word}.invalid`,
    username: word,
    sshKeyId,
    environmentId,
    tags: { word },
    ...origin,
  });
  const jumpServerId = await make('/api/inventory/servers', {
    name: `${word}-jump`,
    hostname: `${word}-jump.invalid`,
    username: word,
    sshKeyId,
    environmentId,
  });
  const importId = await make('/api/inventory/servers/import?preview=true', {
    format: 'ansible-ini',
    content: `${word}-imported ansible_user=${word}`,
    environmentId,
    sshKeyId,
  });
  const rotatedKeyId = await make('/api/ssh-keys', { name: `${word}-rotated-key`, generate: { type: 'ed25519' } });
  await make('/api/inventory/servers', {
    name: `${word}-rotated-server`,
    hostname: `${word}-rotated.invalid`,
    username: word,
    sshKeyId: rotatedKeyId,
    environmentId,
  });
  const keyRotationId = await make(`/api/ssh-keys/${rotatedKeyId}/rotate`, { generate: { type: 'ed25519' } });
  const enrolmentId = await make('/api/inventory/enrolments', {
    environmentId,
    sshKeyId,
    username: word,
    name: `${word}-enrolled`,
    tags: { word },
  });
  const scriptId = await make('/api/scripts', { name: `${word}-script`, description: word, content: `echo ${word}` });
  const templateId = await make('/api/templates', { name: `${word}-template`, description: word, content: word });
  const parentId = await make('/api/collections', { name: `${word}-parent`, description: word });
  const bookmarkId = await make('/api/bookmarks', { name: word, path: `/servers?q=${encodeURIComponent(word)}` });
  const collectionId = await make('/api/collections', { name: `${word}-collection`, description: word, parentId });
  const planId = await make('/api/plans', {
    name: `${word}-plan`,
    description: word,
    environmentId,
    collectionId,
    targets: `word=${word}`,
    steps: [{ key: 'one', name: word, command: `echo ${word}` }],
  });
  const executionId = await make('/api/executions', { planId, execution_mode: 'auto', note: word });
  const scheduleId = await make('/api/schedules', {
    ...{ name: `${word}-schedule`, note: word, planId, execution_mode: 'dry_run', labels: { word } },
    ...{ cron: '0 0 1 1 *', timeZone: 'UTC', enabled: false, pausedReason: word },
  });
  const makeFurther = async (): Promise<FurtherRecords> => {
    // Never synced, because that would need a worker.
    const gitSourceId = await make('/api/git-sources', {
      name: `${word}-source`,
      description: word,
      url: `https://${word}.invalid/${word}.git`,
    });
    const notificationRuleId = await make('/api/notification-rules', {
      name: `${word}-rule`,
      channel: { type: 'ntfy', url: `https://${word}.invalid`, topic: word },
      events: ['execution.failed'],
      environmentIds: [environmentId],
      planIds: [planId],
    });
    const webhookId = await make('/api/webhooks', {
      name: `${word}-webhook`,
      url: `https://${word}.invalid/${word}`,
      events: ['execution.finished'],
      environmentIds: [environmentId],
    });
    const test = () => admin.api.post<{ id: string }>(`/api/webhooks/${webhookId}/test`, {});
    const deliveryId = (await test(), await test()).body.id;
    const tokenId = await make('/api/tokens', { name: `${word}-token` });
    const email = `${word}@example.test`;
    const memberId = await make('/api/members', { email, name: word, role: 'viewer', password: PASSWORD });
    const login = await admin.api.post('/api/auth/login', { email, password: PASSWORD }, { 'user-agent': word });
    if (login.status !== 200) throw new Error(`The new member can't sign in: ${login.text}`);
    const serviceAccountId = await make('/api/service-accounts', { name: `${word}-account`, role: 'viewer' });
    const trustRuleId = await make('/api/oidc-trust-rules', {
      name: `${word}-rule`,
      issuer: `https://${word}.invalid`,
      audience: word,
      subject: word,
      userId: serviceAccountId,
    });
    return {
      ...{ gitSourceId, notificationRuleId, webhookId, deliveryId, tokenId, memberId, serviceAccountId, trustRuleId },
      sessionId: await sessionIn(`/api/members/${memberId}/sessions`),
      ownSessionId: await sessionIn('/api/auth/sessions'),
    };
  };
  const further = reused ?? (await makeFurther());
  await put(`/api/environments/${environmentId}/grants/${further.memberId}`, { level: 'view' });
  await put(`/api/environments/${environmentId}/variables/${VARIABLE}`, { value: word });
  await put(`/api/inventory/servers/${serverId}/variables/${VARIABLE}`, { value: word });
  // Temporary protection of the environment produces a protection change.
  const changes = `/api/environments/${environmentId}/protection-changes`;
  const settings = { protected: false };
  await admin.api.patch(`/api/environments/${environmentId}`, { protected: true });
  const protectionChangeId = await make(changes, { reason: word, settings });
  for (const name of [`${word}-left`, `${word}-gone`]) {
    const login = { username: 'deploy', sshKeyId, environmentId };
    const leaving = await make('/api/inventory/servers', { name, hostname: `${name}.invalid`, ...login });
    await admin.api.delete(`/api/inventory/servers/${leaving}`);
  }
  const departed = await admin.api.get<{ items: [{ id: string }] }>(
    `/api/environments/${environmentId}/departed-servers`,
  );
  const departureId = departed.body.items[0].id;
  await make(changes, { reason: word, settings, override: true });
  return {
    ...further,
    ...{ environmentId, protectionChangeId, departureId, sshKeyId, serverId, jumpServerId, importId, keyRotationId },
    ...{ enrolmentId, scriptId, templateId, bookmarkId, collectionId, parentId, planId, executionId, scheduleId },
  };
}

/** Kind of record for `{id}`, by the beginning of the path. */
const KINDS: [string, keyof OneOfEach][] = [
  ['/api/environments/', 'environmentId'],
  ['/api/overview/environments/', 'environmentId'],
  ['/api/overview/servers/', 'serverId'],
  ['/api/retention/environments/', 'environmentId'],
  ['/api/ssh-keys/', 'sshKeyId'],
  ['/api/key-rotations/', 'keyRotationId'],
  ['/api/inventory/servers/', 'serverId'],
  ['/api/inventory/imports/', 'importId'],
  ['/api/inventory/enrolments/', 'enrolmentId'],
  ['/api/git-sources/', 'gitSourceId'],
  ['/api/scripts/', 'scriptId'],
  ['/api/templates/', 'templateId'],
  ['/api/collections/', 'collectionId'],
  ['/api/bookmarks/', 'bookmarkId'],
  ['/api/plans/', 'planId'],
  ['/api/executions/', 'executionId'],
  ['/api/notification-rules/', 'notificationRuleId'],
  ['/api/schedules/', 'scheduleId'],
  ['/api/webhooks/', 'webhookId'],
  ['/api/tokens/', 'tokenId'],
  ['/api/members/', 'memberId'],
  ['/api/service-accounts/', 'serviceAccountId'],
  ['/api/oidc-trust-rules/', 'trustRuleId'],
  ['/api/auth/sessions/', 'ownSessionId'],
];
/** Kind of record for other placeholders, in any path. */
const FURTHER_PLACEHOLDERS: Record<string, keyof OneOfEach> = {
  userId: 'memberId',
  sessionId: 'sessionId',
  serverId: 'serverId',
  deliveryId: 'deliveryId',
  changeId: 'protectionChangeId',
  departureId: 'departureId',
};
const PLAIN: Record<string, string> = {
  number: '1',
  key: VARIABLE,
  source: SOURCE,
  externalId: EXTERNAL_ID,
  address: '192.0.2.7',
};

export interface RecordPlace {
  /** Name in the path, without braces. */
  placeholder: string;
  kind: keyof OneOfEach;
}

/** Returns the records in a path. @throws Error for a kind that this file does not know */
export function recordsIn(path: string): RecordPlace[] {
  return pathPlaceholders(path)
    .filter((placeholder) => !(placeholder in PLAIN))
    .map((placeholder) => {
      const kind =
        placeholder === 'id'
          ? KINDS.find(([prefix]) => path.startsWith(prefix))?.[1]
          : FURTHER_PLACEHOLDERS[placeholder];
      if (!kind) throw new Error(`Say in one-of-each.ts which record {${placeholder}} of ${path} is about.`);
      return { placeholder, kind };
    });
}

/**
 * Fills all placeholders of a path.
 * @param ids records, or one ID for all placeholders
 * @param replacements other IDs for some placeholders
 */
export function fillPath(path: string, ids: OneOfEach | string, replacements: Record<string, string> = {}): string {
  const kinds = typeof ids === 'string' ? [] : recordsIn(path);
  return path.replace(/\{(\w+)\}/g, (_, placeholder: string) => {
    const kind = kinds.find((each) => each.placeholder === placeholder)?.kind;
    const own = typeof ids === 'string' ? ids : kind && ids[kind];
    return replacements[placeholder] ?? PLAIN[placeholder] ?? own ?? '';
  });
}

const pathPlaceholders = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
