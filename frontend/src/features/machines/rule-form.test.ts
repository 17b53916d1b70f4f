import { describe, expect, it } from 'vitest';
import { EXAMPLES, formOf, requestOf } from './rule-form';

describe('the form of a trust rule', () => {
  it('begins with what is usual, and sends no empty list', () => {
    const form = { ...formOf(null, 'https://runward.example.com'), name: 'main', userId: 'u' };
    expect(requestOf(form)).toEqual({
      ...{ name: 'main', issuer: '', audience: 'https://runward.example.com', subject: '', userId: 'u' },
      ...{ access: 'run', claims: {}, environmentIds: null, planIds: null, tokenLifetimeSeconds: 3600 },
    });
    expect(requestOf({ ...form, environmentIds: ['e'], lifetimeMinutes: '15' })).toMatchObject({
      environmentIds: ['e'],
      tokenLifetimeSeconds: 900,
    });
  });

  it('shows examples that the service takes: two parts are whole before the first *', () => {
    const subjects = EXAMPLES.flatMap(({ subjects: each }) => each.map(([subject]) => subject));
    for (const subject of subjects) {
      const [before = ''] = subject.split('*');
      expect(before.match(/[:/]/g)?.length ?? 0).toBeGreaterThanOrEqual(2);
    }
  });
});
