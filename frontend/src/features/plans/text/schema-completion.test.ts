import { yamlLanguage } from '@codemirror/lang-yaml';
import { EditorState } from '@codemirror/state';
import { describe, expect, it } from 'vitest';
import schema from '../../../../../backend/src/plans/exchange/plan-schema.json';
import { proposalsAt } from './schema-completion';

/** Completions at the caret `^` of a text, or else at its end. */
const proposals = (text: string) => {
  const state = EditorState.create({ doc: text.replace('^', ''), extensions: yamlLanguage });
  const caret = text.includes('^') ? text.indexOf('^') : text.length;
  return proposalsAt(schema, state, caret);
};
const labels = (text: string) => proposals(text).map(({ label }) => label);

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

  it('are the fields and values within braces and brackets', () => {
    const fields = labels('steps:\n  - {key: a, ');
    expect(fields).toContain('command');
    expect(fields).not.toContain('key');
    for (const text of ['steps:\n  - {key: a, comm', 'steps: [{key: a, comm', 'steps:\n  - {\n    key: a,\n    ^\n  }'])
      expect(labels(text)).toContain('command');
    expect(labels('steps: [{key: a}, {always: ^}]')).toEqual(['true', 'false']);
    expect(labels('steps:\n  - {key: a, always: t')).toEqual(['true', 'false']);
    expect(labels('steps:\n  - {key: a}\n  - ')).toContain('command');
    expect(labels('allowedModes: [auto, ^]')).toContain('dry_run');
    expect(labels('allowedModes: [dry')).toContain('dry_run');
  });

  it('are the values of a list of words', () => {
    expect(labels('allowedModes:\n  - dr')).toContain('dry_run');
  });

  it('begin a new item where its dash is missing', () => {
    for (const text of ['steps:\n  ', 'steps:\n  comm', 'steps:\n  - key: a\n  ', 'steps:\n  - key: a\n  comm'])
      expect(proposals(text)).toContainEqual(expect.objectContaining({ label: 'command', apply: '- command: ' }));
    expect(proposals('allowedModes:\n  ')).toContainEqual(expect.objectContaining({ apply: '- auto' }));
    expect(labels('steps:\n- key: a\n')).toContain('environment');
  });

  it('are found below quoted names and comments', () => {
    const fields = labels('"steps":\n  - "key": a # first: {\n    # always: "\n    ');
    expect(fields).toContain('command');
    expect(fields).not.toContain('key');
    expect(labels("steps:\n  - key: a\n    'always': ")).toEqual(['true', 'false']);
  });

  it('are those of an unfinished text that continues after the caret', () => {
    const rest = '\n  - key: b\nname: x\n';
    const first = labels(`steps:\n  - ^\n    key: a${rest}`);
    expect(first).toContain('command');
    expect(first).not.toContain('key');
    expect(labels(`steps:\n  - key: a\n    comm^\n    always: true${rest}`)).toContain('command');
    expect(labels(`steps:\n  - key: a\n    comm^\n    always: true${rest}`)).not.toContain('always');
    expect(labels(`steps:\n  - comm^\n    always: true${rest}`)).toContain('command');
    expect(labels(`steps:\n  - comm^${rest}`)).toContain('command');
    expect(labels(`steps:\n  - ^${rest}`)).toContain('command');
    expect(labels(`steps:\n  - key: a\n    ^\n    always: true${rest}`)).not.toContain('always');
    expect(labels(`steps:\n  - key: a\n    retries:\n      cou^\n    always: true${rest}`)).toContain('count');
    expect(labels(`strategy: ^\nsteps:${rest}`)).toEqual(['barrier', 'free']);
    expect(labels('env^\nsteps:\n  - key: a')).toContain('environment');
    expect(labels('na')).toContain('name');
    expect(labels('')).toContain('name');
    expect(labels('# Plan\n---\n')).toContain('name');
  });

  it('are none where a field or value cannot be', () => {
    expect(labels('steps:\n  - key: a\n    command: |\n      echo\n      ^\n      always: ')).toEqual([]);
    expect(labels('steps:\n  - key: a\n    command: >\n      always: ')).toEqual([]);
    expect(labels('steps:\n  - key: a\n    command: |\n      a:\n\n    ')).toContain('always');
    expect(labels('strategy: # ')).toEqual([]);
    expect(labels('strategy: free # ba')).toEqual([]);
    expect(labels('name: "strategy: ')).toEqual([]);
    expect(labels('strategy:')).toEqual([]);
    expect(labels('steps:\n  - key: a\n   ')).toEqual([]);
    expect(labels('steps:\n  - key: a\n   comm')).toEqual([]);
  });
});
