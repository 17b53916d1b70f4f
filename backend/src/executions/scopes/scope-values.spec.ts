import { describe, expect, it } from '@jest/globals';
import type { FrozenCall, FrozenScope } from '../record/run-content.js';
import { ValuesByScope } from './scope-values.js';

const call = (more: Partial<FrozenCall>): FrozenCall => ({
  ...{ definitions: [], variables: {}, secrets: {}, from: {}, given: [] },
  ...more,
});
const string = (name: string) => ({ name, type: 'string' as const });
const SNAPSHOT = {
  variables: { word: 'mine', extra: 'exported' },
  plan: { variables: [string('word'), string('empty')] },
};

function valuesIn(
  scope: number | null,
  scopes: FrozenScope[],
  {
    secrets = {},
    host = null,
  }: { secrets?: Record<string, string>; host?: Parameters<typeof ValuesByScope.create>[2] } = {},
) {
  const { exports, values } = ValuesByScope.create({ ...SNAPSHOT, scopes }, secrets, host).getScopeValues(scope);
  expect(exports.filter(({ name, value }) => typeof name !== 'string' || value === undefined)).toEqual([]);
  return {
    exports: Object.fromEntries(
      exports.map(({ name, value, secret }) => [name, secret ? `secret ${String(value)}` : value]),
    ),
    names: values.map(({ name }) => name),
  };
}

describe('the values of a scope', () => {
  it('are those of the run outside of calls and lists, with the exports of the environment', () => {
    expect(valuesIn(null, [])).toEqual({ exports: { word: 'mine', extra: 'exported' }, names: ['word', 'empty'] });
  });

  it('contain for an item the surrounding values and the item, which is not secret', () => {
    expect(valuesIn(0, [{ around: null, item: 'a' }])).toEqual({
      exports: { word: 'mine', extra: 'exported', item: 'a' },
      names: ['word', 'empty', 'item'],
    });
    expect(valuesIn(0, [{ around: null }]).exports).toMatchObject({ item: '' });
  });

  it('contain for a call what the called plan declares; other names of the caller are not visible', () => {
    const scopes = [
      { around: null, call: call({ definitions: [string('a'), string('none')], variables: { a: 'x', hidden: 'y' } }) },
    ];
    expect(valuesIn(0, scopes)).toEqual({ exports: { extra: 'exported', a: 'x' }, names: ['a', 'none'] });
    const taken = [{ around: null, call: call({ definitions: [string('extra')] }) }];
    expect(valuesIn(0, taken).exports).toEqual({});
  });

  it('may come from the caller, with their secrecy, or be unset like there', () => {
    const scopes = [
      {
        around: null,
        call: call({
          definitions: [string('b'), string('token'), string('c')],
          from: { b: 'word', token: 'key', c: 'empty' },
          variables: { c: 'not this' },
        }),
      },
    ];
    expect(valuesIn(0, scopes, { secrets: { key: 'hunter2' } }).exports).toEqual({
      ...{ extra: 'exported', key: 'secret hunter2' },
      ...{ b: 'mine', token: 'secret hunter2' },
    });
  });

  it('are secret if the call stores them separately', () => {
    const scopes = [
      {
        around: null,
        call: call({ definitions: [string('t'), string('gone')], secrets: { t: 't/call-0', gone: 'gone' } }),
      },
    ];
    expect(valuesIn(0, scopes, { secrets: { 't/call-0': 'hunter2' } }).exports).toEqual({
      ...{ extra: 'exported', t: 'secret hunter2' },
    });
  });

  it('come from the server unless the call sets them', () => {
    const host = { variables: { a: 'own', given: 'own' }, secrets: {} };
    const definitions = [string('a'), string('given')];
    const scopes = [
      { around: null, call: call({ definitions, variables: { a: 'shared', given: 'by call' }, given: ['given'] }) },
    ];
    expect(valuesIn(0, scopes, { host }).exports).toMatchObject({ a: 'own', given: 'by call' });
    expect(valuesIn(0, scopes).exports).toMatchObject({ a: 'shared', given: 'by call' });
  });

  it('are calculated once per scope', () => {
    const all = ValuesByScope.create({ ...SNAPSHOT, scopes: [{ around: null, item: 'a' }] }, {}, null);
    expect(all.getScopeValues(0)).toBe(all.getScopeValues(0));
    expect(() => all.getScopeValues(7)).toThrow('The run has no scope 7.');
  });
});
