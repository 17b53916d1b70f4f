import { expect } from '@jest/globals';
import type { Answer } from './api-client.js';
import { type Installation, startInstallation, type TestMember } from './installation.js';

export interface Plan {
  [field: string]: unknown;
  id: string;
  name: string;
  revision: number;
  version: number;
  steps: { key: string; command?: string }[];
  warnings: PlacedWarning[];
}
export interface PlacedWarning {
  path: string;
  reason: { code: string; text: string };
  line?: number;
}
export interface Import {
  preview: boolean;
  plans: {
    name: string;
    action: string;
    planId: string | null;
    revision: number | null;
    changes: object[];
    warnings: PlacedWarning[];
    yaml: string;
  }[];
  errors?: { path: string; code: string; message: string; line?: number; column?: number; entry?: string }[];
  code?: string;
}
export interface Check {
  faults: { path: string; reason: { code: string; text: string }; line: number; column: number; endColumn: number }[];
  warnings: PlacedWarning[];
  plan: Plan | null;
  yaml: string | null;
}

export interface PlanExchange {
  runward: Installation;
  admin: TestMember;
  /** Record IDs by the referring field of a plan or step. */
  ids: Record<string, string>;
  post(body: object): Promise<Answer<Plan>>;
  importing(content: string, more?: object, headers?: Record<string, string>): Promise<Answer<Import>>;
  /** @param query such as `?revision=1` */
  exported(id: string, query?: string): Promise<string>;
  check(content: string): Promise<Check>;
  close(): Promise<void>;
}

export async function startPlanExchange(): Promise<PlanExchange> {
  const runward = await startInstallation();
  const admin = await runward.tenant('acme');
  const make = async (path: string, body: object) => {
    const answer = await admin.api.post<{ id: string }>(path, body);
    expect(answer.status).toBe(201);
    return answer.body.id;
  };
  const releases = await make('/api/collections', { name: 'Releases' });
  const ids = {
    environmentId: await make('/api/environments', { name: 'staging' }),
    scriptId: await make('/api/scripts', { name: 'drain', content: 'true' }),
    templateId: await make('/api/templates', { name: 'app.conf', content: 'x' }),
    gitSourceId: await make('/api/git-sources', { name: 'site', url: 'https://git.example.com/site.git' }),
    collectionId: await make('/api/collections', { name: 'Web', parentId: releases }),
    planId: await make('/api/plans', {
      name: 'Say',
      variables: [
        { name: 'word', type: 'string' },
        { name: 'size', type: 'integer' },
      ],
      steps: [{ key: 'say', command: 'true', outputs: ['said'] }],
    }),
  };
  return {
    runward,
    admin,
    ids,
    post: (body) => admin.api.post<Plan>('/api/plans', body),
    importing: (content, more = {}, headers = {}) =>
      admin.api.post<Import>('/api/plans/import', { content, ...more }, headers),
    exported: async (id, query = '') => {
      const { status, text, headers } = await admin.api.get<string>(`/api/plans/${id}/export${query}`);
      expect([status, headers.get('content-type')]).toEqual([200, 'application/yaml; charset=utf-8']);
      return text;
    },
    check: async (content) => (await admin.api.post<Check>('/api/plans/check', { content })).body,
    close: () => runward.close(),
  };
}
