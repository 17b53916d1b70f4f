import { describe, expect, it } from 'vitest';
import schema from '../../../../../backend/src/plans/exchange/plan-schema.json';
import { proposalsAt } from './schema-completion';

const labels = (text: string) => {
  const lines = text.split('\n');
  return proposalsAt(schema, lines.slice(0, -1), lines.at(-1) ?? '').map(({ label }) => label);
};

describe('proposals for the text of a plan', () => {
  it('are the fields of the plan at its margin, but for those that it has', () => {
    expect(labels('name: a\n')).toEqual(expect.arrayContaining(['steps', 'environment', 'targets']));
    expect(labels('name: a\n')).not.toContain('name');
    expect(labels('name: a\nenv')).toContain('environment');
  });

  it('are the fields of a step within its list', () => {
    expect(labels('steps:\n  - ')).toEqual(expect.arrayContaining(['key', 'command', 'script']));
    const second = labels('steps:\n  - key: a\n    command: true\n  - key: b\n    ');
    expect(second).toEqual(expect.arrayContaining(['command', 'retries']));
    expect(second).not.toContain('key');
    expect(labels('steps:\n- key: a\n  ')).toContain('command');
  });

  it('are the fields of what lies deeper', () => {
    expect(labels('steps:\n  - key: a\n    retries:\n      ')).toEqual(expect.arrayContaining(['count', 'backoff']));
    expect(labels('variables:\n  - name: A\n    ')).toContain('type');
  });

  it('are the values of a field that has some', () => {
    expect(labels('strategy: ')).toEqual(['barrier', 'free']);
    expect(labels('steps:\n  - key: a\n    type: g')).toContain('gate');
    expect(labels('steps:\n  - key: a\n    always: ')).toEqual(['true', 'false']);
    expect(labels('name: ')).toEqual([]);
  });

  it('are none within a block of text or a comment', () => {
    expect(labels('steps:\n  - key: a\n    command: |\n      ec')).toEqual([]);
    expect(labels('# na')).toEqual([]);
  });
});
