import { describe, expect, it } from 'vitest';
import { listed, plansWithoutEnvironment, scopeOf, scopeSentence, scopeSummary, WHOLE } from './scope-words';

const ENVIRONMENTS = new Map([
  ['e1', 'staging'],
  ['e2', 'production'],
  ['e3', 'lab'],
  ['e4', 'edge'],
]);
const PLANS = new Map([['p1', 'Deploy']]);
const WORDS: [string, string] = ['environment', 'environments'];

describe('the scope of a token', () => {
  it('is not sent when it narrows nothing', () => {
    expect(scopeOf(WHOLE)).toBeUndefined();
    expect(scopeOf({ ...WHOLE, access: 'read' })).toEqual({ access: 'read' });
    expect(scopeOf({ access: 'run', environmentIds: ['e1'], planIds: [] })).toEqual({
      access: 'run',
      environmentIds: ['e1'],
    });
  });

  it('lists names and counts unknown ones', () => {
    expect(listed(['e1'], ENVIRONMENTS, WORDS)).toBe('staging');
    expect(listed(['e1', 'e2'], ENVIRONMENTS, WORDS)).toBe('staging and production');
    expect(listed(['e1', 'e2', 'e3', 'e4'], ENVIRONMENTS, WORDS)).toBe('staging, production, lab and 1 more');
    expect(listed(['e1', 'gone'], ENVIRONMENTS, WORDS)).toBe('staging and 1 more');
    expect(listed(['gone'], ENVIRONMENTS, WORDS)).toBe('1 environment');
  });

  it('has a description in sentences', () => {
    const sentence = (choice: object) => scopeSentence({ ...WHOLE, ...choice }, ENVIRONMENTS, PLANS);
    expect(sentence({})).toBe(
      'The token has all rights of its member. It can view everything that its member can view.',
    );
    expect(sentence({ access: 'read', environmentIds: ['e1'] })).toContain('It can view staging with servers');
    expect(sentence({ access: 'run', planIds: ['p1'], environmentIds: ['e2'] })).toBe(
      'The token can read, and start and control runs. It cannot approve. It can view the plan Deploy and its runs in production. It cannot view servers, variables or records of the whole tenant.',
    );
  });

  it('of plans is in the environments that these are bound to, or asks for environments', () => {
    const choice = { ...WHOLE, planIds: ['p1', 'p2'] };
    expect(scopeSentence(choice, ENVIRONMENTS, PLANS)).toContain('in the environments that they are bound to now');
    const plans = [
      { id: 'p1', name: 'Deploy', environmentId: 'e1' },
      { id: 'p2', name: 'Patch', environmentId: null },
      { id: 'p3', name: 'Other', environmentId: null },
    ];
    expect(plansWithoutEnvironment(choice, plans)).toEqual(['Patch']);
    expect(plansWithoutEnvironment({ ...choice, environmentIds: ['e1'] }, plans)).toEqual([]);
    expect(scopeSummary({ access: 'run', environmentIds: [], planIds: ['p2'] }, ENVIRONMENTS, PLANS)).toMatch(
      /^No environment/,
    );
  });

  it('has a summary for lists', () => {
    expect(scopeSummary(null, ENVIRONMENTS, PLANS)).toBe('All rights of the member');
    expect(scopeSummary({ access: 'run', environmentIds: ['e1'], planIds: ['p1'] }, ENVIRONMENTS, PLANS)).toBe(
      'Start and control runs, in staging, plan Deploy',
    );
  });
});
