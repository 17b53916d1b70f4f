import { describe, expect, it } from '@jest/globals';
import { stepsForHost } from './step-targets.js';

const WEB = { name: 'web-1', tags: { role: 'web' } };
const DB = { name: 'db-1', tags: { role: 'db' } };
const step = (key: string, targets = '') => ({ key, targets });

describe('the steps that are for a host', () => {
  it('are told by key where a selector leaves some out', () => {
    const forHost = stepsForHost([step('all'), step('web', 'role=web'), step('named', 'name=db-*')]);
    expect(forHost(WEB)).toEqual(['all', 'web']);
    expect(forHost(DB)).toEqual(['all', 'named']);
  });

  it('are not listed where the host has part in all of them', () => {
    expect(stepsForHost([step('one'), step('two')])(WEB)).toBeNull();
    expect(stepsForHost([step('one'), step('two', 'role=web')])(WEB)).toBeNull();
  });

  it('are none where no selector matches it', () => {
    expect(stepsForHost([step('web', 'role=web')])(DB)).toEqual([]);
  });
});
