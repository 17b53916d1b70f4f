import type { TestMember } from './installation.js';

/** One record of every kind, all of one tenant. */
export interface OneOfEach {
  environmentId: string;
  sshKeyId: string;
  serverId: string;
  planId: string;
  executionId: string;
  tokenId: string;
}

/**
 * Makes one record of every kind; `word` stands in every text that a list or search could show. The run is accepted
 * only: it moves when a worker comes.
 */
export async function makeOneOfEach(member: TestMember, word: string): Promise<OneOfEach> {
  const make = async (path: string, body: object): Promise<string> => {
    const answer = await member.api.post<{ id: string }>(path, body);
    if (answer.status !== 201) throw new Error(`POST ${path} answered ${answer.status}: ${answer.text}`);
    return answer.body.id;
  };
  const environmentId = await make('/api/environments', { name: `${word}-environment`, description: word });
  const sshKeyId = await make('/api/ssh-keys', { name: `${word}-key`, generate: { type: 'ed25519' } });
  const serverId = await make('/api/inventory/servers', {
    name: `${word}-server`,
    hostname: `${word}.invalid`,
    username: word,
    sshKeyId,
    environmentId,
    tags: { word },
  });
  const planId = await make('/api/plans', {
    name: `${word}-plan`,
    description: word,
    environmentId,
    targets: `word=${word}`,
    steps: [{ key: 'one', name: word, command: `echo ${word}` }],
  });
  const executionId = await make('/api/executions', { planId, execution_mode: 'auto', note: word });
  const tokenId = await make('/api/tokens', { name: `${word}-token` });
  return { environmentId, sshKeyId, serverId, planId, executionId, tokenId };
}

/** Which record the `{id}` of a path means, by the path's beginning. */
const KINDS: [string, keyof OneOfEach][] = [
  ['/api/environments/', 'environmentId'],
  ['/api/ssh-keys/', 'sshKeyId'],
  ['/api/inventory/servers/', 'serverId'],
  ['/api/plans/', 'planId'],
  ['/api/executions/', 'executionId'],
  ['/api/tokens/', 'tokenId'],
];

/** The id that belongs into this path. @throws Error for a kind of record that nobody told this file of */
export function idFor(path: string, records: OneOfEach): string {
  const kind = KINDS.find(([prefix]) => path.startsWith(prefix));
  if (!kind) throw new Error(`Say in one-of-each.ts which record ${path} is about.`);
  return records[kind[1]];
}

/** The path with this id, and 1 for every number, filled in. */
export const fillPath = (path: string, id: string): string => path.replace('{id}', id).replace('{number}', '1');
