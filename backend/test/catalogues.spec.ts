import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { AUDIT_ACTION_NAMES, AUDIT_ACTIONS, type AuditActionName, toResourceType } from '../src/audit/audit-actions.js';
import { FAULT_CODES } from '../src/common/errors/fault-codes.js';
import { PROBLEM_CODES } from '../src/common/errors/problem-codes.js';
import { REASON_CODES } from '../src/common/errors/reason-codes.js';
import { EXECUTION_STATUSES, toStatusAction } from '../src/executions/lifecycle/statuses.js';
import { NOTIFICATION_EVENT_NAMES } from '../src/notifications/messages/notification-events.js';
import { EVENTS } from '../src/outbox/event-types.js';

const CATALOGUES = /(?:audit-actions|event-types|fault-codes|-problems|-reasons)\.ts$/;

const sources = path.resolve(import.meta.dirname, '../src');
const text = readdirSync(sources, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts') && !CATALOGUES.test(file))
  .map((file) => readFileSync(path.join(sources, file), 'utf8'))
  .join('\n');
const isUsed = (name: string): boolean => text.includes(`'${name}'`);

/** Lines of a documentation page. */
const linesOf = (page: string): string[] =>
  readFileSync(path.join(import.meta.dirname, '../../docs', page), 'utf8').split('\n');
/** Lines of the page that should exist but do not. */
const missingLines = (page: string, expected: readonly string[]): string[] => {
  const lines = linesOf(page);
  return expected.filter((start) => !lines.some((line) => line.startsWith(start)));
};

/** Actions whose name is computed from a typed value. */
const COMPUTED_ACTIONS: readonly AuditActionName[] = [
  ...EXECUTION_STATUSES.map(toStatusAction),
  ...(['applied', 'rejected', 'withdrawn'] as const).map((state) => `environment.protection_${state}` as const),
  ...(['kept', 'released', 'release_overridden'] as const).map((what) => `environment.server_${what}` as const),
  ...(['create', 'update', 'restore', 'delete'] as const).flatMap((verb) => [
    `script.${verb}` as const,
    `template.${verb}` as const,
  ]),
];

describe('The catalogue of audit actions', () => {
  it('lists only actions that are recorded', () => {
    expect(AUDIT_ACTION_NAMES.filter((action) => !COMPUTED_ACTIONS.includes(action) && !isUsed(action))).toEqual([]);
  });

  it('is sorted', () => {
    expect(AUDIT_ACTION_NAMES).toEqual(AUDIT_ACTION_NAMES.toSorted());
  });

  it('is documented', () => {
    const rows = AUDIT_ACTION_NAMES.map(
      (action) => `| \`${action}\` | ${AUDIT_ACTIONS[action]} | \`${toResourceType(action)}\` |`,
    );
    expect(missingLines('audit-trail.md', rows)).toEqual([]);
    expect(linesOf('audit-trail.md').filter((line) => line.startsWith('| `'))).toEqual(rows);
  });
});

describe('The catalogue of events', () => {
  it('lists only events that are sent', () => {
    expect(Object.keys(EVENTS).filter((type) => !isUsed(type))).toEqual([]);
  });

  it('is documented', () => {
    const rows = Object.entries(EVENTS).map(([type, cause]) => `| \`${type}\` | ${cause} |`);
    expect(missingLines('webhooks.md', rows)).toEqual([]);
    expect(
      missingLines(
        'notifications.md',
        NOTIFICATION_EVENT_NAMES.map((event) => `| \`${event}\` |`),
      ),
    ).toEqual([]);
  });
});

describe('The catalogue of reasons', () => {
  it('lists only codes that are used, and none of a problem or fault', () => {
    const codes = Object.keys(REASON_CODES);
    expect(codes.filter((code) => !isUsed(code))).toEqual([]);
    expect(codes.filter((code) => code in PROBLEM_CODES || code in FAULT_CODES)).toEqual([]);
  });
});

describe('The catalogue of problems', () => {
  it('lists only codes that are used', () => {
    expect(Object.keys({ ...PROBLEM_CODES, ...FAULT_CODES }).filter((code) => !isUsed(code))).toEqual([]);
  });
});
