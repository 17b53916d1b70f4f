import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '../src/common/ids.js';
import { type Installation, startInstallation, type TestMember } from './support/installation.js';
import { fillPath, makeOneOfEach, type OneOfEach } from './support/one-of-each.js';
import { type Operation, operations, typesOf, requiredQueryOf } from './support/openapi.js';
import { queryAs } from './support/table-contents.js';

interface Item {
  id?: string;
  [field: string]: unknown;
}
interface Page {
  items: Item[];
  nextCursor: string | null;
  code?: string;
  errors?: { path: string; code: string }[];
}

const queryOf = ({ parameters = [] }: Operation) => parameters.filter((parameter) => parameter.in === 'query');
const takes = (operation: Operation, name: string) => queryOf(operation).some((parameter) => parameter.name === name);
const named = (operation: Operation): [string, Operation] => [operation.operationId, operation];
const lists = operations.filter((operation) => takes(operation, 'cursor'));
/** Lists with only one order: by steps and hosts, by a text, or by latest use. */
const UNSORTED_LISTS = [
  'listGitTree',
  'listGitCommits',
  'listPlanSyncs',
  'listResults',
  'listPredictions',
  'listInheritedResults',
  'listImportEntries',
  'listKeyRotationHosts',
  'listScheduleFires',
];
const sorted = lists.filter(({ operationId }) => !UNSORTED_LISTS.includes(operationId));

let runward: Installation;
let admin: TestMember;
let records: OneOfEach;

beforeAll(async () => {
  runward = await startInstallation();
  admin = await runward.tenant('acme');
  // The names are in mixed case, and not in the order of creation.
  for (const word of ['quartz', 'Basalt', 'granite']) records = await makeOneOfEach(admin, word);
  const { environmentId, serverId, planId, scriptId, templateId } = records;
  const requireSuccess = async (answer: Promise<{ status: number; text: string }>) => {
    const { status, text } = await answer;
    if (status >= 300) throw new Error(text);
  };
  for (const key of ['ALPHA', 'zeta']) {
    await requireSuccess(admin.api.put(`/api/environments/${environmentId}/variables/${key}`, { value: 'x' }));
    await requireSuccess(admin.api.put(`/api/inventory/servers/${serverId}/variables/${key}`, { value: 'x' }));
  }
  const { body: members } = await admin.api.get<Page>('/api/members');
  for (const { id } of members.items)
    await requireSuccess(admin.api.put(`/api/environments/${environmentId}/grants/${id}`, { level: 'run' }));
  await queryAs(
    runward.database,
    admin.tenantId,
    `insert into notification_deliveries (id, tenant_id, rule_id, event, cause, subject, state, give_up_at)
      select id, $1, $2, 'execution.failed', id, 'x', 'sent', now() from unnest($3::uuid[]) as id`,
    [admin.tenantId, records.notificationRuleId, [newId(), newId()]],
  );
  await requireSuccess(admin.api.patch(`/api/plans/${planId}`, { steps: [{ key: 'two', command: 'true' }] }));
  await requireSuccess(admin.api.patch(`/api/scripts/${scriptId}`, { content: 'true' }));
  await requireSuccess(admin.api.patch(`/api/templates/${templateId}`, { content: 'other' }));
});
afterAll(() => runward.close());

const ask = async (operation: Operation, query: Record<string, string>) =>
  admin.api.get<Page>(
    `${fillPath(operation.path, records)}?${new URLSearchParams({ ...requiredQueryOf(operation), ...query }).toString()}`,
  );

function fieldOf(operation: Operation, item: Item, field: string): unknown {
  if (operation.operationId !== 'listGrants') return item[field];
  // Grants are ordered by the creation of the member. The member's ID has this order.
  return field === 'createdAt' ? (item.user as Item).id : (item.user as Item)[field];
}

describe('every list', () => {
  it('has a page size, a cursor and an order, with the same names', () => {
    expect(lists.length).toBeGreaterThanOrEqual(14);
    for (const list of lists) {
      const names = queryOf(list).map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(['limit', 'cursor']));
      if (!UNSORTED_LISTS.includes(list.operationId)) expect(names).toContain('sort');
    }
  });
});

describe.each(sorted.map(named))('the list of %s', (_, list) => {
  const sorts = (queryOf(list).find(({ name }) => name === 'sort')?.schema.enum ?? []) as string[];

  it('is the same in pages as in one response, in each order', async () => {
    expect(sorts.length).toBeGreaterThanOrEqual(2);
    for (const sort of sorts) {
      const whole = await ask(list, { sort, limit: '200' });
      expect({ sort, status: whole.status, next: whole.body.nextCursor }).toEqual({ sort, status: 200, next: null });
      const keys = whole.body.items.map((item) => String(fieldOf(list, item, sort.replace('-', ''))).toLowerCase());
      if (list.operationId !== 'listSessions' && list.operationId !== 'listMemberSessions')
        expect({ sort, several: keys.length > 1 || list.operationId === 'listOwnSessions' }).toEqual({
          sort,
          several: true,
        });
      const ascending = [...keys].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
      expect({ sort, keys }).toEqual({ sort, keys: sort.startsWith('-') ? ascending.reverse() : ascending });
      const seen: Item[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const { body }: { body: Page } = await ask(list, { sort, limit: '1', ...(cursor ? { cursor } : {}) });
        seen.push(...body.items);
        cursor = body.nextCursor;
      }
      expect(seen).toEqual(whole.body.items);
    }
  });

  it('refuses another order, and a cursor of another order', async () => {
    for (const sort of ['nonsense', '', '--createdAt', 'id', 'name desc', 'NAME', "name'"]) {
      const { status, body } = await ask(list, { sort });
      expect({ sort, status, path: body.errors?.[0]?.path }).toEqual({ sort, status: 400, path: '?sort' });
    }
    for (const sort of sorts) {
      const { body } = await ask(list, { sort, limit: '1' });
      if (body.nextCursor === null) continue;
      for (const other of sorts.filter((each) => each !== sort)) {
        const answer = await ask(list, { sort: other, cursor: body.nextCursor });
        expect({ sort, other, status: answer.status, code: answer.body.errors?.[0]?.code }).toEqual({
          sort,
          other,
          status: 400,
          code: 'invalid_cursor',
        });
      }
    }
  });
});

describe('a search for part of the name', () => {
  const searched = sorted.filter((list) => takes(list, 'q') && takes(list, 'sort'));

  it.each(searched.map(named))('in %s gives the same in pages as in one response, in each order', async (_, list) => {
    for (const sort of (queryOf(list).find(({ name }) => name === 'sort')?.schema.enum ?? []) as string[]) {
      const whole = await ask(list, { q: 'a', sort, limit: '200' });
      expect({ sort, several: whole.body.items.length > 1 }).toEqual({ sort, several: true });
      const seen: Item[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const { status, body } = await ask(list, { q: 'a', sort, limit: '1', ...(cursor ? { cursor } : {}) });
        expect({ sort, status }).toEqual({ sort, status: 200 });
        seen.push(...body.items);
        cursor = body.nextCursor;
      }
      expect(seen).toEqual(whole.body.items);
    }
  });
});

const filtering = operations.filter(
  ({ method, ...rest }) => method === 'GET' && queryOf({ method, ...rest }).length > 0,
);

describe.each(filtering.map(named))('a filter of %s', (_, operation) => {
  it('with an impossible value is refused by its name', async () => {
    for (const { name, schema } of queryOf(operation)) {
      const wrong: string[] = [];
      if (/Id$/.test(name)) wrong.push('malformed', '', newId().toUpperCase(), `${newId()}0`);
      if (schema.enum ?? schema.items?.enum) wrong.push('impossible', '', 'PAUSED ');
      if (['from', 'to'].includes(name)) wrong.push('yesterday', '');
      if (['action', 'resourceType'].includes(name)) wrong.push('Server Update', '', 'server.');
      if (['stepKey'].includes(name)) wrong.push('no-such-step', '');
      for (const value of wrong) {
        const { status, body } = await ask(operation, { [name]: value });
        expect({ name, value, status, path: body.errors?.[0]?.path }).toEqual({
          name,
          value,
          status: 400,
          path: `?${name}`,
        });
      }
    }
    if (takes(operation, 'from')) {
      const isNumber = queryOf(operation).some(
        ({ name, schema }) => name === 'from' && typesOf(schema).includes('integer'),
      );
      const [to, from] = isNumber ? ['1', '2'] : ['2026-03-01T00:00:00Z', '2026-03-02T00:00:00Z'];
      const { status, body } = await ask(operation, { from, to });
      expect([status, body.errors?.[0]?.path]).toEqual([400, '?to']);
    }
  });
});

describe('a filter by ID', () => {
  it('with an unknown ID returns an empty list', async () => {
    for (const list of lists) {
      for (const { name } of queryOf(list).filter((parameter) => /Id$/.test(parameter.name))) {
        const { status, body } = await ask(list, { [name]: newId() });
        expect({ id: list.operationId, name, status, items: body.items }).toEqual({
          id: list.operationId,
          name,
          status: 200,
          items: [],
        });
      }
    }
  });
});

describe('a filter by name', () => {
  const byName = lists.filter((operation) => takes(operation, 'name'));

  it('exists where names are unique', () => {
    expect(byName.map(({ operationId }) => operationId).sort()).toEqual([
      'listCollections',
      'listEnvironments',
      'listGitSources',
      'listNotificationRules',
      'listPlans',
      'listSchedules',
      'listScripts',
      'listServers',
      'listSshKeys',
      'listTemplates',
      'listWebhooks',
    ]);
  });

  it.each(byName.map(named))('in %s finds the whole name, not case-sensitive, and no part of it', async (_, list) => {
    const { body } = await ask(list, { sort: 'name', limit: '1' });
    const [first] = body.items;
    const name = String(first?.name);
    expect(name).toMatch(/^Basalt-/);
    for (const text of [name, name.toUpperCase(), name.toLowerCase()])
      expect((await ask(list, { name: text })).body.items.map(({ id }) => id)).toEqual([first?.id]);
    for (const text of [name.slice(1), `${name}x`, '', '%', 'Basalt%'])
      expect((await ask(list, { name: text })).body.items).toEqual([]);
  });
});
