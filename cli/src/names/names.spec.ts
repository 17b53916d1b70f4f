import { describe, expect, it } from '@jest/globals';
import { findRecord, type RecordKind } from './find.ts';
import { findNearestNames } from './nearest.ts';
import { parsePairs } from './pairs.ts';
import { parseRunId } from './run-id.ts';

const ID = '01927c5e-7d3a-7cc1-a2b4-8f1d3c5b6a79';
type Item = { id: string; name: string };
const kind = (items: Item[]): RecordKind<Item> => ({
  what: 'plan',
  byId: (id) => Promise.resolve(items.find((item) => item.id === id) ?? null),
  list: ({ name }) => {
    const found = items.filter((item) => name === undefined || item.name.toLowerCase() === name.toLowerCase());
    return Promise.resolve({ items: found, nextCursor: null });
  },
});

describe('a name or id', () => {
  it('is found as an id, as a name in any case, and as a name that looks like an id', async () => {
    const items = [
      { id: ID, name: 'deploy' },
      { id: '2', name: ID.replace('0', '1') },
    ];
    expect(await findRecord(ID.toUpperCase(), kind(items))).toBe(items[0]);
    expect(await findRecord('Deploy', kind(items))).toBe(items[0]);
    expect(await findRecord(ID.replace('0', '1'), kind(items))).toBe(items[1]);
  });

  it('prefers the exact case among several names, otherwise none', async () => {
    const items = [
      { id: '1', name: 'web' },
      { id: '2', name: 'Web' },
    ];
    expect(await findRecord('Web', kind(items))).toBe(items[1]);
    await expect(findRecord('WEB', kind(items))).rejects.toMatchObject({
      problem: { code: 'ambiguous_name' },
      exitCode: 2,
      advice: ['1  web', '2  Web'],
    });
  });

  it('is found by the end of its ID unless several match or it is too short', async () => {
    const items = [ID, ID.replace('0', '1'), ID.replace(/.{8}$/, '12345678')].map((id) => ({ id, name: `plan ${id}` }));
    expect(await findRecord('12345678', kind(items))).toBe(items[2]);
    await expect(findRecord('3C5B6A79', kind(items))).rejects.toMatchObject({
      problem: { code: 'ambiguous_name' },
      advice: [expect.stringContaining(ID), expect.any(String)],
    });
    await expect(findRecord('345678', kind(items))).rejects.toMatchObject({ problem: { code: 'unknown_name' } });
  });

  it('that is unknown lists only near names', async () => {
    const items = ['deploy web', 'deploy db', 'restart'].map((name, id) => ({ id: String(id), name }));
    const adviceOn = (name: string) =>
      findRecord(name, kind(items)).catch(({ advice }: { advice: string[] }) => advice);
    expect(await adviceOn('deploy wbe')).toEqual(['Did you mean "deploy web" or "deploy db"?']);
    expect(await adviceOn('web')).toEqual(['Did you mean "deploy web"?']);
    expect(await adviceOn('backup')).toEqual([]);
    expect(await findRecord('x', kind([])).catch(({ advice }: { advice: string[] }) => advice)).toEqual([
      'There is no plan that you can see.',
    ]);
  });
});

it('at most three nearest names, none for a text unlike all names', () => {
  expect(findNearestNames('ab', ['cd', 'ac'])).toEqual(['ac']);
  expect(findNearestNames('backup', ['deploy', 'restart', 'back'])).toEqual(['back']);
  expect(findNearestNames('prod', ['prod-eu', 'prod-us', 'prod-ap', 'prod-af', 'test'])).toHaveLength(3);
});

it('pairs keep everything after the first =, and refuse duplicates and invalid names', () => {
  expect(parsePairs(['A=1=2', 'B=', '__proto__=x'], '--var')).toEqual(
    Object.fromEntries([
      ['A', '1=2'],
      ['B', ''],
      ['__proto__', 'x'],
    ]),
  );
  for (const bad of [['A'], ['=1'], ['A=1', 'A=2']]) expect(() => parsePairs(bad, '--var')).toThrow(/--var/);
});

it('accepts a run as id or address of its page', () => {
  expect(parseRunId(`https://x.example/base/executions/${ID.toUpperCase()}?tab=output`)).toBe(ID);
  expect(parseRunId(ID)).toBe(ID);
  expect(parseRunId('3c5b6a79')).toBeNull();
  for (const bad of ['', 'latest', '0192', `${ID}0`]) expect(() => parseRunId(bad)).toThrow(/is not a run/);
});
