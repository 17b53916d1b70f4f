import { describe, expect, it } from '@jest/globals';
import { newId } from '../../../backend/src/common/ids.js';
import { checkPlanContent } from '../../../backend/src/plans/checks/check-plan-content.js';
import { createChance } from './chance.js';
import { inventRuns } from './invent-runs.js';
import { inventLandscape, type Landscape, type SeedMember } from './landscape.js';

const FROM = new Date('2024-01-01T00:00:00Z');
const TO = new Date('2026-01-01T00:00:00Z');
const WEEK = { from: new Date('2025-06-02T00:00:00Z'), to: new Date('2025-06-09T00:00:00Z') };
const MONTHS = { from: new Date('2024-06-01T00:00:00Z'), to: TO };

const member = (name: string, role: SeedMember['role']): SeedMember => ({
  id: newId(),
  email: `${name}@example.test`,
  name,
  role,
  tokenPrefix: null,
  address: '192.0.2.1',
});
const key = { id: newId(), name: 'seeded', type: 'ed25519', publicKey: '', fingerprint: 'SHA256:x' };
const makeLandscape = (environments: number, servers: number): Landscape => {
  const admin = member('admin', 'admin');
  const approver = member('approver', 'viewer');
  const groundState = { from: FROM, to: TO, turn: 1, key, admin, starters: [member('operator', 'operator')], approver };
  return inventLandscape({ environments, servers }, groundState, createChance(5));
};

describe('invented data', () => {
  it('has valid plans', () => {
    for (const { revisions } of makeLandscape(3, 24).plans)
      for (const { content } of revisions) expect(checkPlanContent(content)).toEqual([]);
  });

  it('has servers of all roles, without duplicates', () => {
    const servers = makeLandscape(4, 1_000).environments.flatMap((environment) => environment.servers);
    expect(servers).toHaveLength(1_000);
    for (const field of ['id', 'name', 'hostname', 'address'] as const)
      expect(new Set(servers.map((server) => server[field])).size).toBe(1_000);
    expect(new Set(servers.map(({ hostKey }) => hostKey.fingerprint)).size).toBe(1_000);
    expect(new Set(servers.map(({ tags }) => tags.role))).toEqual(new Set(['web', 'app', 'db', 'cache']));
  });

  it('has runs within their period, with ordered events that end with the run', () => {
    const { courses, runs } = inventRuns(makeLandscape(3, 24), MONTHS, 3_000, createChance(7));
    expect(runs).toHaveLength(3_000);
    for (const { course, at, pace } of runs) {
      const history = courses[course];
      expect(history && at.getTime() + history.endMs * pace).toBeLessThanOrEqual(MONTHS.to.getTime());
    }
    for (const { events, endMs, status } of courses) {
      expect(events.map(({ ms }) => ms)).toEqual(events.map(({ ms }) => ms).sort((a, b) => a - b));
      expect(events.at(-1)).toMatchObject({ type: 'execution.finished', ms: endMs, data: { status } });
    }
    const statuses = new Set(courses.map(({ status }) => status));
    for (const status of ['SUCCEEDED', 'FAILED', 'PARTIALLY_SUCCEEDED', 'CANCELLED', 'REJECTED'] as const)
      expect(statuses).toContain(status);
  });

  it('has runs with the revision that the plan had at their start', () => {
    const scene = makeLandscape(3, 24);
    const { courses, runs } = inventRuns(scene, MONTHS, 2_000, createChance(11));
    for (const { course, at } of runs) {
      const { plan, revision } = courses[course]?.start ?? {};
      const saved = plan?.revisions[(revision ?? 0) - 1];
      // Runs that would end after the period are moved to an earlier start.
      expect(saved && saved.at.getTime() - 86_400_000).toBeLessThanOrEqual(at.getTime());
    }
  });

  it('has small runs among thousands of servers, and supports environments with one server', () => {
    const large = inventRuns(makeLandscape(1, 5_000), WEEK, 500, createChance(13));
    const hosts = large.runs.reduce((sum, { course }) => sum + (large.courses[course]?.start.hosts.length ?? 0), 0);
    expect(hosts / 500).toBeLessThan(12);
    const small = inventRuns(makeLandscape(3, 3), WEEK, 500, createChance(17));
    expect(new Set(small.courses.map(({ start }) => start.hosts.length))).toEqual(new Set([1]));
  });
});
