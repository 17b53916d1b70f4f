import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { AUDIT_ACTION_NAMES, type AuditActionName } from '../src/audit/audit-actions.js';
import { EXECUTION_STATUSES, toStatusAction } from '../src/executions/lifecycle/statuses.js';

const sources = path.resolve(import.meta.dirname, '../src');
const text = readdirSync(sources, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts') && !file.endsWith('audit-actions.ts'))
  .map((file) => readFileSync(path.join(sources, file), 'utf8'))
  .join('\n');

/** Actions whose name is computed from a typed value. */
const COMPUTED_ACTIONS: readonly AuditActionName[] = [
  ...EXECUTION_STATUSES.map(toStatusAction),
  ...(['applied', 'rejected', 'withdrawn'] as const).map((state) => `environment.protection_${state}` as const),
  ...(['kept', 'released', 'release_overridden'] as const).map((what) => `environment.server_${what}` as const),
];

describe('The catalogue of audit actions', () => {
  it('lists only actions that are recorded', () => {
    const unused = AUDIT_ACTION_NAMES.filter(
      (action) => !COMPUTED_ACTIONS.includes(action) && !text.includes(`'${action}'`),
    );
    expect(unused).toEqual([]);
  });

  it('is sorted', () => {
    expect(AUDIT_ACTION_NAMES).toEqual(AUDIT_ACTION_NAMES.toSorted());
  });
});
