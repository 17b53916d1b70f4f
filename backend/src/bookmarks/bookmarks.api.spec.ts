import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Installation, startInstallation, type TestMember } from '../../test/support/installation.js';
import { MAX_BOOKMARKS } from './bookmarks.service.js';
import type { BookmarkListView, BookmarkView } from './bookmarks.view.js';

const ROUTE = '/api/bookmarks';
const UNREACHABLE = { name: 'Unreachable', path: '/servers?state=unreachable&environment=1' };

let runward: Installation;
let ada: TestMember;
let vera: TestMember;

beforeAll(async () => {
  runward = await startInstallation();
  ada = await runward.tenant();
  vera = await runward.member(ada, 'viewer');
});
afterAll(() => runward.close());

const namesOf = async ({ api }: TestMember, query = '') =>
  (await api.get<BookmarkListView>(`${ROUTE}${query}`)).body.items.map(({ name }) => name);

describe('bookmarks', () => {
  it('belong to one member: an admin neither sees nor deletes those of another member', async () => {
    const made = await vera.api.post<BookmarkView>(ROUTE, UNREACHABLE);
    expect(made).toMatchObject({ status: 201, body: { ...UNREACHABLE, id: expect.any(String) } });
    expect(await namesOf(vera)).toEqual(['Unreachable']);
    expect(await namesOf(ada)).toEqual([]);
    expect((await ada.api.delete(`${ROUTE}/${made.body.id}`)).status).toBe(404);
    expect((await vera.api.delete(`${ROUTE}/${made.body.id}`)).status).toBe(204);
    expect(await namesOf(vera)).toEqual([]);
  });

  it('exist once for each path, and the answer gives the name of the first', async () => {
    await ada.api.post(ROUTE, { name: 'Mine', path: '/plans' });
    const again = await ada.api.post(ROUTE, { name: 'Again', path: '/plans' });
    expect(again).toMatchObject({ status: 409, body: { code: 'bookmark_exists' } });
    expect(again.text).toContain('“Mine”');
    expect((await vera.api.post(ROUTE, { name: 'Hers', path: '/plans' })).status).toBe(201);
  });

  it('refuse addresses outside of the dashboard, and paths that are not percent-encoded or too long', async () => {
    for (const path of [
      ...['https://other.example/', '//other.example/', '/\\other.example/', 'javascript:alert(1)'],
      ...['servers', '/servers with spaces', '/sérvers', `/${'x'.repeat(2000)}`],
    ]) {
      const answer = await ada.api.post(ROUTE, { name: 'x', path });
      expect([path, answer]).toMatchObject([path, { status: 400, body: { errors: [{ path: '/path' }] } }]);
    }
  });

  it('are sorted by name on request', async () => {
    for (const name of ['b', 'C', 'a']) await vera.api.post(ROUTE, { name, path: `/scripts?q=${name}` });
    expect((await namesOf(vera, '?sort=name')).slice(0, 3)).toEqual(['a', 'b', 'C']);
  });

  it('are limited for each member, also when requests arrive together', async () => {
    const { api } = await runward.member(ada, 'viewer');
    const create = (n: number) => api.post(ROUTE, { name: `${n}`, path: `/plans/${n}` });
    const answers = await Promise.all(Array.from({ length: MAX_BOOKMARKS + 5 }, (_, n) => create(n)));
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused).toHaveLength(5);
    expect(refused[0]).toMatchObject({ status: 409, body: { code: 'too_many_bookmarks' } });
  });

  it('end with their member', async () => {
    const leaver = await runward.member(ada, 'viewer');
    await leaver.api.post(ROUTE, UNREACHABLE);
    await ada.api.delete(`/api/members/${leaver.userId}`);
    const left = await runward.database.query('select 1 from bookmarks where user_id = $1', [leaver.userId]);
    expect(left).toHaveLength(0);
  });
});
