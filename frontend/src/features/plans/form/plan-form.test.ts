import { describe, expect, it } from 'vitest';
import type { Plan, PlanVariable } from '../../../api/types';
import { emptyVariable, formOf, isPlanField, moveItem, toCreateRequest, toUpdateRequest } from './plan-form';

const plan: Plan = {
  id: 'p',
  name: 'Deploy',
  description: '',
  revision: 3,
  version: 7,
  createdAt: '',
  updatedAt: '',
  environmentId: null,
  collectionId: null,
  frozenBy: null,
  origin: null,
  targets: 'role=web',
  timeoutSeconds: null,
  maxFailPercent: 0,
  onFailure: 'stop',
  strategy: 'barrier',
  parallelSafe: false,
  locks: ['db'],
  allowedModes: ['auto'],
  variables: [],
  steps: [],
  warnings: [],
};
const withVariable = (variable: PlanVariable) => formOf({ ...plan, variables: [variable] });
/** Returns what is sent for a variable that was read but not edited. */
const sent = (variable: PlanVariable) => toUpdateRequest(withVariable(variable)).variables[0];

describe('a plan in the editor', () => {
  it('begins with one step and the usual settings when it is new', () => {
    expect(formOf(null)).toMatchObject({
      name: '',
      environmentId: null,
      timeoutSeconds: '',
      maxFailPercent: 0,
      onFailure: 'stop',
      strategy: 'barrier',
      variables: [],
      steps: [{ key: 'step-1', type: 'command' }],
    });
  });

  it('is saved as a whole, so that an emptied field is emptied on the server', () => {
    const {
      id: _,
      origin: _o,
      frozenBy: _f,
      revision: __,
      version: ___,
      createdAt: _c,
      updatedAt: _u,
      warnings: _w,
      ...content
    } = plan;
    expect(toUpdateRequest(formOf(plan))).toEqual(content);
  });

  it('is created without an environment, a collection and a time limit when none was chosen', () => {
    const request = toCreateRequest(formOf(plan));
    expect(request).not.toHaveProperty('environmentId');
    expect(request).not.toHaveProperty('collectionId');
    expect(request).not.toHaveProperty('timeoutSeconds');
    const chosen = { ...formOf(plan), environmentId: 'e', collectionId: 'c', timeoutSeconds: 60 };
    expect(toCreateRequest(chosen)).toMatchObject({
      environmentId: 'e',
      collectionId: 'c',
      timeoutSeconds: 60,
    });
  });

  it('takes no share of hosts that may fail for none', () => {
    expect(toUpdateRequest({ ...formOf(plan), maxFailPercent: '' }).maxFailPercent).toBe(0);
  });
});

describe('a variable in the editor', () => {
  it.each<PlanVariable>([
    { name: 'A', type: 'string', required: true, default: 'x', pattern: 'v.*', description: 'What' },
    { name: 'A', type: 'integer', required: false, default: -3 },
    { name: 'A', type: 'number', required: false, default: 0 },
    { name: 'A', type: 'boolean', required: false, default: false },
    { name: 'A', type: 'choice', required: false, default: 'a', choices: ['a', 'b'] },
    { name: 'A', type: 'list', required: false, default: ['a', 'a', ''] },
    { name: 'A', type: 'secret', required: true, pattern: '.{8}' },
    { name: 'A', type: 'string', required: false },
  ])('is unchanged after a round trip: $type $default', (variable) => {
    expect(sent(variable)).toEqual(variable);
  });

  it('has no default of a type that it had before', () => {
    const [row = emptyVariable()] = withVariable({
      name: 'A',
      type: 'list',
      required: false,
      default: ['x'],
    }).variables;
    const changed = { ...formOf(plan), variables: [{ ...row, type: 'string' as const }] };
    expect(toUpdateRequest(changed).variables[0]).not.toHaveProperty('default');
  });

  it('never has a default when it is secret, and no pattern where the type takes none', () => {
    const typed = { ...emptyVariable(), name: 'A', defaultText: '5', pattern: '.*', choices: ['x'] };
    const request = toUpdateRequest({
      ...formOf(plan),
      variables: [
        { ...typed, type: 'secret' },
        { ...typed, type: 'integer' },
      ],
    });
    expect(request.variables).toEqual([
      { name: 'A', type: 'secret', required: false, pattern: '.*' },
      { name: 'A', type: 'integer', required: false, default: 5 },
    ]);
  });

  it('sends a default that is no number as text, so that the server refuses it', () => {
    const row = { ...emptyVariable(), type: 'integer' as const, defaultText: 'many' };
    expect(toUpdateRequest({ ...formOf(plan), variables: [row] }).variables[0]?.default).toBe('many');
  });
});

describe('fields of the editor', () => {
  it.each([
    ['name', true],
    ['steps.0.command', true],
    ['steps.12.retries.count', true],
    ['steps.0.scriptId', true],
    ['variables.3.default', true],
    ['variables.0.command', false],
    ['steps.0', false],
    ['steps.x.command', false],
    ['steps.0.owner.name', false],
    ['id', false],
    ['', false],
  ])('%j: %s', (path, known) => {
    expect(isPlanField(path)).toBe(known);
  });
});

describe('moving an item', () => {
  it('swaps it with its neighbour and leaves the ends where they are', () => {
    expect(moveItem(['a', 'b', 'c'], 1, -1)).toEqual(['b', 'a', 'c']);
    expect(moveItem(['a', 'b', 'c'], 1, 1)).toEqual(['a', 'c', 'b']);
    expect(moveItem(['a', 'b', 'c'], 0, -1)).toEqual(['a', 'b', 'c']);
    expect(moveItem(['a', 'b', 'c'], 2, 1)).toEqual(['a', 'b', 'c']);
    expect(moveItem([], 0, 1)).toEqual([]);
  });

  it('does not change the list that it was given', () => {
    const items = Object.freeze(['a', 'b']);
    expect(moveItem(items, 0, 1)).toEqual(['b', 'a']);
  });
});
