import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiClient } from '../../test/support/api-client.js';
import { type Installation, startInstallation, type TestMember } from '../../test/support/installation.js';
import type { PlanSummaryView } from '../plans/plans.view.js';
import { MAX_COLLECTION_LEVELS } from './collection-tree.js';
import type { CollectionListView, CollectionView } from './collections.view.js';

let runward: Installation;
let admin: TestMember;
let operator: TestMember;
let api: ApiClient;
let numbered = 0;

const ROUTE = '/api/collections';
const FUTURE_TIME = '2100-01-01T00:00:00.000Z';
const PAST_TIME = '2020-01-01T00:00:00.000Z';

beforeAll(async () => {
  runward = await startInstallation();
  admin = await runward.tenant();
  ({ api } = admin);
  operator = await runward.member(admin, 'operator');
});
afterAll(() => runward.close());

const unique = (word: string): string => {
  numbered += 1;
  return `${word}-${numbered}`;
};
async function create(more: object = {}, by = api): Promise<CollectionView> {
  const { status, body, text } = await by.post<CollectionView>(ROUTE, { name: unique('folder'), ...more });
  if (status !== 201) throw new Error(`The collection was not created: ${text}`);
  return body;
}
const get = async (id: string, by = api): Promise<CollectionView> =>
  (await by.get<CollectionView>(`${ROUTE}/${id}`)).body;
async function plan(more: object): Promise<PlanSummaryView> {
  const body = { name: unique('plan'), steps: [{ key: 'one', command: 'true' }], ...more };
  const answer = await api.post<PlanSummaryView>('/api/plans', body);
  if (answer.status !== 201) throw new Error(`The plan was not created: ${answer.text}`);
  return answer.body;
}
const plansIn = async (query: string, by = api): Promise<string[]> =>
  (await by.get<{ items: PlanSummaryView[] }>(`/api/plans?${query}`)).body.items.map(({ id }) => id);
const codeOf = ({ status, body }: { status: number; body: unknown }) => [status, (body as { code?: string }).code];

describe('collections', () => {
  it('can be nested and return their path', async () => {
    const top = await create();
    const middle = await create({ parentId: top.id, description: 'all of them' });
    const leaf = await create({ parentId: middle.id }, operator.api);
    expect(leaf).toMatchObject({ parentId: middle.id, planCount: 0, freeze: null, frozenBy: null });
    expect(leaf.path).toEqual([top, middle].map(({ id, name }) => ({ id, name })));
    const list = async (query: string) =>
      (await api.get<CollectionListView>(`${ROUTE}?${query}`)).body.items.map(({ id }) => id);
    expect(await list(`parentId=${top.id}`)).toEqual([middle.id]);
    expect(await list(`topLevel=true&name=${top.name}`)).toEqual([top.id]);
    expect(await list(`topLevel=false&name=${top.name}`)).toEqual([]);
  });

  it('have unique names within their parent', async () => {
    const top = await create({ name: 'Releases' });
    expect(codeOf(await api.post(ROUTE, { name: 'releases' }))).toEqual([409, 'duplicate_name']);
    await create({ name: 'Releases', parentId: top.id });
    const other = await create({ name: 'Releases of old', parentId: top.id });
    expect(codeOf(await api.patch(`${ROUTE}/${other.id}`, { name: 'RELEASES' }))).toEqual([409, 'duplicate_name']);
  });

  it('cannot be moved below themselves; the error names the cycle', async () => {
    const top = await create();
    const middle = await create({ parentId: top.id });
    const leaf = await create({ parentId: middle.id });
    const refused = await api.patch<{ code: string; detail: string }>(`${ROUTE}/${top.id}`, { parentId: leaf.id });
    expect(codeOf(refused)).toEqual([409, 'collection_path']);
    expect(refused.body.detail).toContain(`"${top.name}" › "${middle.name}" › "${leaf.name}" › "${top.name}"`);
    expect(codeOf(await api.patch(`${ROUTE}/${top.id}`, { parentId: top.id }))).toEqual([409, 'collection_path']);
    expect((await get(top.id)).parentId).toBeNull();
  });

  it('cannot form a cycle by two concurrent moves', async () => {
    for (let time = 0; time < 10; time += 1) {
      const one = await create();
      const two = await create();
      const moves = await Promise.all([
        api.patch(`${ROUTE}/${one.id}`, { parentId: two.id }),
        operator.api.patch(`${ROUTE}/${two.id}`, { parentId: one.id }),
      ]);
      expect(moves.map(({ status }) => status).sort()).toEqual([200, 409]);
    }
  });

  it(`are nested at most ${MAX_COLLECTION_LEVELS} levels deep, including the subtree of a moved collection`, async () => {
    let parent = await create();
    for (let level = 2; level < MAX_COLLECTION_LEVELS; level += 1) parent = await create({ parentId: parent.id });
    await create({ parentId: parent.id });
    const pair = await create();
    await create({ parentId: pair.id });
    expect(codeOf(await api.patch(`${ROUTE}/${pair.id}`, { parentId: parent.id }))).toEqual([409, 'collection_path']);
  });

  it('cannot be deleted while they contain something; the error names it', async () => {
    const top = await create();
    const inner = await create({ parentId: top.id });
    const { id } = await plan({ collectionId: inner.id });
    const refusal = await api.delete<{ detail: string }>(`${ROUTE}/${top.id}`);
    expect(codeOf(refusal)).toEqual([409, 'in_use']);
    expect(refusal.body.detail).toContain('1 collection lies');
    expect((await api.delete<{ detail: string }>(`${ROUTE}/${inner.id}`)).body.detail).toContain('1 plan lies');
    await api.patch(`/api/plans/${id}`, { collectionId: null });
    for (const each of [inner, top]) expect((await api.delete(`${ROUTE}/${each.id}`)).status).toBe(204);
  });

  it('count only plans that the caller may see', async () => {
    const top = await create();
    const inner = await create({ parentId: top.id });
    const environment = await api.post<{ id: string }>('/api/environments', {
      name: unique('hidden'),
      access: 'restricted',
    });
    await plan({ collectionId: top.id });
    const hiddenPlan = await plan({ collectionId: inner.id, environmentId: environment.body.id });
    expect(await get(top.id)).toMatchObject({ planCount: 1, totalPlanCount: 2 });
    expect(await get(top.id, operator.api)).toMatchObject({ planCount: 1, totalPlanCount: 1 });
    expect(await plansIn(`collectionId=${inner.id}`, operator.api)).toEqual([]);
    expect(codeOf(await operator.api.delete(`${ROUTE}/${inner.id}`))).toEqual([409, 'in_use']);
    await api.delete(`/api/plans/${hiddenPlan.id}`);
    expect((await operator.api.delete(`${ROUTE}/${inner.id}`)).status).toBe(204);
  });

  it('filter plans, including those of nested collections', async () => {
    const top = await create();
    const inner = await create({ parentId: top.id });
    const own = await plan({ collectionId: top.id });
    const planInInner = await plan({ collectionId: inner.id });
    const planWithoutCollection = await plan({});
    expect(await plansIn(`collectionId=${top.id}`)).toEqual([planInInner.id, own.id]);
    expect(await plansIn(`collectionId=${inner.id}`)).toEqual([planInInner.id]);
    expect(await plansIn('uncollected=true&limit=1')).toEqual([planWithoutCollection.id]);
    expect(await plansIn(`uncollected=true&collectionId=${top.id}`)).toEqual([]);
  });

  it('of another tenant are not found', async () => {
    const foreign = await create({}, (await runward.tenant()).api);
    const answers = [
      await api.get(`${ROUTE}/${foreign.id}`),
      await api.post(ROUTE, { name: unique('folder'), parentId: foreign.id }),
      await api.post('/api/plans', {
        name: unique('plan'),
        collectionId: foreign.id,
        steps: [{ key: 'a', command: 'a' }],
      }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
  });
});

describe('freeze of a collection', () => {
  it('is set and lifted only by admins, and needs a reason and an end in the future', async () => {
    const folder = await create();
    const path = `${ROUTE}/${folder.id}`;
    const freeze = { reason: 'Release 4.2', until: FUTURE_TIME };
    expect(codeOf(await operator.api.patch(path, { freeze }))).toEqual([403, 'insufficient_role']);
    const set = await api.patch<CollectionView>(path, { freeze });
    expect(set.body.freeze).toMatchObject({ reason: 'Release 4.2', until: FUTURE_TIME, setBy: { id: admin.userId } });
    expect(set.body.frozenBy).toEqual({
      collectionId: folder.id,
      collectionName: folder.name,
      reason: 'Release 4.2',
      until: FUTURE_TIME,
    });
    expect(codeOf(await operator.api.patch(path, { freeze: null }))).toEqual([403, 'insufficient_role']);
    expect((await api.patch<CollectionView>(path, { freeze: null })).body).toMatchObject({
      freeze: null,
      frozenBy: null,
    });
    const faults = [
      { reason: 'over', until: PAST_TIME },
      { reason: 'backwards', from: '2101-01-01T00:00:00Z', until: FUTURE_TIME },
      { reason: '', until: FUTURE_TIME },
      { reason: 'endless' },
    ];
    for (const fault of faults)
      expect(codeOf(await api.patch(path, { freeze: fault }))).toEqual([400, 'invalid_request']);
    const { items } = (
      await api.get<{ items: { action: string; after: CollectionView }[] }>(`/api/audit-logs?resourceId=${folder.id}`)
    ).body;
    expect(items.map(({ action }) => action)).toEqual(['collection.update', 'collection.update', 'collection.create']);
    expect(items[1]?.after.freeze).toMatchObject({ reason: 'Release 4.2' });
  });

  it('does not apply before it begins', async () => {
    const folder = await create({ freeze: { reason: 'new year', from: '2099-12-31T00:00:00Z', until: FUTURE_TIME } });
    expect(folder).toMatchObject({ freeze: { reason: 'new year' }, frozenBy: null });
  });

  it('applies to nested collections; of several freezes, the one that ends last is returned', async () => {
    const top = await create({ freeze: { reason: 'top', until: '2100-06-01T00:00:00Z' } });
    const inner = await create({ parentId: top.id, freeze: { reason: 'inner', until: FUTURE_TIME } });
    expect(inner.frozenBy).toMatchObject({ collectionId: top.id, reason: 'top' });
    const { id } = await plan({ collectionId: inner.id });
    const { body } = await api.get<PlanSummaryView>(`/api/plans/${id}`);
    expect(body.frozenBy).toMatchObject({ collectionId: top.id });
    const listed = await api.get<{ items: PlanSummaryView[] }>(`/api/plans?collectionId=${inner.id}`);
    expect(listed.body.items).toMatchObject([{ id, frozenBy: { collectionId: top.id } }]);
  });

  it('prevents moving plans and collections out, except by admins', async () => {
    const frozen = await create({ freeze: { reason: 'release', until: FUTURE_TIME } });
    const inner = await create({ parentId: frozen.id });
    const free = await create();
    const { id } = await plan({ collectionId: inner.id });
    const moves = [
      operator.api.patch(`/api/plans/${id}`, { collectionId: free.id }),
      operator.api.patch(`/api/plans/${id}`, { collectionId: null }),
      operator.api.patch(`${ROUTE}/${inner.id}`, { parentId: null }),
    ];
    for (const move of moves) expect(codeOf(await move)).toEqual([409, 'collection_frozen']);
    expect((await operator.api.patch(`/api/plans/${id}`, { description: 'still mine to change' })).status).toBe(200);
    expect((await api.patch(`/api/plans/${id}`, { collectionId: free.id })).status).toBe(200);
  });
});
