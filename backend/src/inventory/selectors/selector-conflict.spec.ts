import { describe, expect, it } from '@jest/globals';
import { matchesSelector, parseSelector, type SelectableServer } from './selector.js';
import { canMatchBoth } from './selector-conflict.js';

const can = (a: string, b: string) => canMatchBoth(parseSelector(a), parseSelector(b));

describe('two selectors', () => {
  it.each([
    ['role=web', 'role=db'],
    ['role in (web, db)', 'role in (cache, mail)'],
    ['role=web', '!role'],
    ['gpu', '!gpu'],
    ['role=web', 'role!=web'],
    ['role in (a, b)', 'role notin (b, a, c)'],
    ['role in (a, b),role in (b, c)', 'role in (a, c)'],
    ['a,!a', ''],
    ['', 'x=1,x=2'],
    ['name=web-1', 'name=web-2'],
    ['name=web-1', 'name=db-*'],
    ['name in (web-1, web-2)', 'name in (db-1, web-3)'],
    ['name=web-*', 'name=db-*'],
    ['name=*-eu', 'name=*-us'],
    ['name=web-1', 'name!=web-*'],
    ['name=web-*', 'name!=web-*'],
    ['name=web-1*', 'name!=web-*'],
    ['role=web', 'name!=*'],
  ])('%j and %j can never match the same server', (a, b) => {
    expect([can(a, b), can(b, a)]).toEqual([false, false]);
  });

  it.each([
    ['', ''],
    ['role=web', ''],
    ['role=web', 'region=eu'],
    ['role in (web, db)', 'role in (db, cache)'],
    ['role!=web', '!role'],
    ['role!=web', 'role!=db'],
    ['role notin (a, b)', 'role'],
    ['role in (a, b)', 'role!=a'],
    ['name=web-*', 'name=*-1'],
    ['name=web-*', 'name=web-1?'],
    ['name=web-*', 'name!=web-1'],
    ['name=web-*', 'name!=web-?'],
    ['name=a*', 'name=*a'],
    ['name in (web-1, db-1)', 'name=db-*'],
    ['name!=web-1', 'name!=web-2'],
  ])('%j and %j may match the same server', (a, b) => {
    expect([can(a, b), can(b, a)]).toEqual([true, true]);
  });

  it('never conflict if a server matches both', () => {
    const parts = [
      'a',
      '!a',
      'a=1',
      'a=2',
      'a in (1, 2)',
      'a!=1',
      'a notin (1, 2)',
      'name=x*',
      'name=x1',
      'name=?1',
      'name!=x?',
      'name!=*1',
      'name in (x1, y*)',
    ];
    const selectors = parts.flatMap((one) => parts.map((two) => parseSelector(`${one},${two}`)));
    const servers = ['x', 'x1', 'y1', 'y', 'xx1', 'z'].flatMap((name) =>
      [{}, ...['1', '2', '3'].map((a) => ({ a }))].map((tags): SelectableServer => ({ name, tags })),
    );
    let met = 0;
    for (const one of selectors) {
      for (const two of selectors) {
        if (!servers.some((server) => matchesSelector(one, server) && matchesSelector(two, server))) continue;
        met += 1;
        if (!canMatchBoth(one, two)) throw new Error(JSON.stringify([one, two]));
      }
    }
    expect(met).toBeGreaterThan(1000);
  });
});
