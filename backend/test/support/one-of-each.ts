import { PASSWORD, type TestMember } from './installation.js';

/** One record of every kind, all of one tenant. */
export interface OneOfEach {
  protectionChangeId: string;
  environmentId: string;
  sshKeyId: string;
  serverId: string;
  /** Another server of the environment. */
  jumpServerId: string;
  /** Asked for only: a worker finds out what is to be done. */
  importId: string;
  /** Begun only, of a key of its own that the server of nobody else uses. */
  keyRotationId: string;
  /** Open: no host has come. */
  enrolmentId: string;
  gitSourceId: string;
  scriptId: string;
  templateId: string;
  collectionId: string;
  /** The collection that it lies in. */
  parentId: string;
  planId: string;
  executionId: string;
  /** Tells of nothing: no worker takes events. */
  notificationRuleId: string;
  /** Paused: it starts nothing. */
  scheduleId: string;
  webhookId: string;
  /** A test that did not get through: of a name that nobody has. */
  deliveryId: string;
  tokenId: string;
  /** Another member, with a grant in the environment. */
  memberId: string;
  /** A session of that member. */
  sessionId: string;
  serviceAccountId: string;
  /** It gives tokens of the service account. */
  trustRuleId: string;
  /** A session of who made all this. */
  ownSessionId: string;
}

/** Name of the variable that every environment of {@link makeOneOfEach} has. */
const VARIABLE = 'REGION';
/** The outside system that every server of it comes from, and what it calls the server: a name, which no tenant owns. */
const SOURCE = 'cmdb';
const EXTERNAL_ID = 'device-1';

/**
 * Makes one record of every kind, as an admin who has signed in; `word` stands in every text that a list or search could show. The run is accepted
 * only: it moves when a worker comes.
 */
export async function makeOneOfEach(admin: TestMember, word: string): Promise<OneOfEach> {
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
  // Only the first one of a tenant can have it.
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
  // Never synced: a worker would have to.
  const gitSourceId = await make('/api/git-sources', {
    name: `${word}-source`,
    description: word,
    url: `https://${word}.invalid/${word}.git`,
  });
  const scriptId = await make('/api/scripts', { name: `${word}-script`, description: word, content: `echo ${word}` });
  const templateId = await make('/api/templates', { name: `${word}-template`, description: word, content: word });
  const parentId = await make('/api/collections', { name: `${word}-parent`, description: word });
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
  const notificationRuleId = await make('/api/notification-rules', {
    name: `${word}-rule`,
    channel: { type: 'ntfy', url: `https://${word}.invalid`, topic: word },
    events: ['failed'],
    environmentIds: [environmentId],
    planIds: [planId],
  });
  const scheduleId = await make('/api/schedules', {
    ...{ name: `${word}-schedule`, note: word, planId, execution_mode: 'dry_run', labels: { word } },
    ...{ cron: '0 0 1 1 *', timeZone: 'UTC', enabled: false, pausedReason: word },
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
  await put(`/api/environments/${environmentId}/grants/${memberId}`, { level: 'view' });
  await put(`/api/environments/${environmentId}/variables/${VARIABLE}`, { value: word });
  await put(`/api/inventory/servers/${serverId}/variables/${VARIABLE}`, { value: word });
  // The environment is protected for a moment: a request stays.
  const changes = `/api/environments/${environmentId}/protection-changes`;
  const settings = { protected: false };
  await admin.api.patch(`/api/environments/${environmentId}`, { protected: true });
  const protectionChangeId = await make(changes, { reason: word, settings });
  await make(changes, { reason: word, settings, override: true });
  return {
    environmentId,
    protectionChangeId,
    sshKeyId,
    serverId,
    jumpServerId,
    importId,
    keyRotationId,
    enrolmentId,
    gitSourceId,
    scriptId,
    templateId,
    collectionId,
    parentId,
    planId,
    executionId,
    notificationRuleId,
    scheduleId,
    webhookId,
    deliveryId,
    tokenId,
    memberId,
    serviceAccountId,
    trustRuleId,
    sessionId: await sessionIn(`/api/members/${memberId}/sessions`),
    ownSessionId: await sessionIn('/api/auth/sessions'),
  };
}

/** Which record the `{id}` of a path means, by the path's beginning. */
const KINDS: [string, keyof OneOfEach][] = [
  ['/api/environments/', 'environmentId'],
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
/** Which record another placeholder means, in whatever path. */
const FURTHER: Record<string, keyof OneOfEach> = {
  userId: 'memberId',
  sessionId: 'sessionId',
  serverId: 'serverId',
  deliveryId: 'deliveryId',
  changeId: 'protectionChangeId',
};
/** Placeholders that stand for no record of their own, and what is filled in. */
const PLAIN: Record<string, string> = {
  number: '1',
  key: VARIABLE,
  source: SOURCE,
  externalId: EXTERNAL_ID,
  address: '192.0.2.7',
};

/** A placeholder of a path that stands for a record. */
export interface RecordPlace {
  /** As it is written in the path, without braces. */
  placeholder: string;
  kind: keyof OneOfEach;
}

/** The records that a path names. @throws Error for a kind of record that nobody told this file of */
export function recordsIn(path: string): RecordPlace[] {
  return placeholdersOf(path)
    .filter((placeholder) => !(placeholder in PLAIN))
    .map((placeholder) => {
      const kind = placeholder === 'id' ? KINDS.find(([prefix]) => path.startsWith(prefix))?.[1] : FURTHER[placeholder];
      if (!kind) throw new Error(`Say in one-of-each.ts which record {${placeholder}} of ${path} is about.`);
      return { placeholder, kind };
    });
}

/**
 * The path with every placeholder filled in.
 * @param ids the records that it is about, or one id for all of them
 * @param instead other ids for some placeholders
 */
export function fillPath(path: string, ids: OneOfEach | string, instead: Record<string, string> = {}): string {
  const kinds = typeof ids === 'string' ? [] : recordsIn(path);
  return path.replace(/\{(\w+)\}/g, (_, placeholder: string) => {
    const kind = kinds.find((each) => each.placeholder === placeholder)?.kind;
    const own = typeof ids === 'string' ? ids : kind && ids[kind];
    return instead[placeholder] ?? PLAIN[placeholder] ?? own ?? '';
  });
}

const placeholdersOf = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
