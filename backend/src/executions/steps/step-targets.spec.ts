import { describe, expect, it } from '@jest/globals';
import { createStepMatcher } from './step-targets.js';

const WEB = { name: 'web-1', tags: { role: 'web' } };
const DB = { name: 'db-1', tags: { role: 'db' } };
const step = (key: string, targets = '') => ({ key, targets });

describe('the steps for a host', () => {
  it('are listed by key when a selector excludes some of them', () => {
    const forHost = createStepMatcher([step('all'), step('web', 'role=web'), step('named', 'name=db-*')]);
    expect(forHost(WEB)).toEqual(['all', 'web']);
    expect(forHost(DB)).toEqual(['all', 'named']);
  });

  it('are null when the host takes part in all of them', () => {
    expect(createStepMatcher([step('one'), step('two')])(WEB)).toBeNull();
    expect(createStepMatcher([step('one'), step('two', 'role=web')])(WEB)).toBeNull();
  });

  it('are empty when no selector matches the host', () => {
    expect(createStepMatcher([step('web', 'role=web')])(DB)).toEqual([]);
  });
});
