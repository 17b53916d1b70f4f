import { describe, expect, it } from 'vitest';
import type { Execution, FailureCause, PauseAnswer } from '../../../api/types';
import { runMarkdown } from './run-markdown';

const run = {
  ...{ planName: 'Deploy *shop*', planRevision: 12, environmentName: 'production', execution_mode: 'auto' },
  ...{ status: 'FAILED', hostCount: 600, startedAt: '2026-11-28T10:00:00.000Z', note: null, pauseReason: null },
  ...{ queue: null, webUrl: 'https://runward.example.com/executions/x1', startedBy: { id: 'u1', name: 'Ana' } },
  summary: { durationMs: 59_000 },
  steps: [{ key: 's6', name: 'Migrate', path: [] }],
} as unknown as Execution;
const cause = {
  ...{ key: 'k', stepKey: 's6', status: 'FAILED', exitCode: 3, reason: null, text: '<b>refused</b> | at …' },
  ...{
    firstHost: { serverId: '1', serverName: 'web-1' },
    serverIds: Array.from({ length: 22 }, (_, at) => String(at)),
  },
} as FailureCause;

describe('the summary of a run in Markdown', () => {
  it('has its facts, and its failures by cause with the first hosts', () => {
    const text = runMarkdown(run, [cause], [], (serverId) => `web-${serverId}`);
    expect(text).toContain('| Status | **Failed** |');
    expect(text).toContain('| Duration | 59 s |');
    expect(text).toContain('| Run | <https://runward.example.com/executions/x1> |');
    expect(text).toContain(String.raw`\<b\>refused\</b\> \| at …**: Migrate on 22 hosts, exit code 3. web\-0, web\-1,`);
    expect(text).toContain('web\\-19 and 2 more');
    expect(text).not.toContain('Note');
  });

  it('cannot be shaped by names and notes', () => {
    const note = 'first\n\n# second `x`';
    const text = runMarkdown({ ...run, note }, [], [], String);
    expect(text).toContain('### Deploy \\*shop\\*');
    expect(text).toContain('| Note | first \\# second \\`x\\` |');
    expect(text).not.toContain('Failures');
  });

  it('has the decisions of members, with their comments in one line', () => {
    const at = '2026-11-28T10:01:00.000Z';
    const answer = {
      ...{ at, user: { id: 'u2', name: 'Bo' }, pauseReason: 'FAILURE_DECISION', stepKey: 's6' },
      ...{ action: 'retry_failed', hostCount: 2, comment: 'made\n# room' },
    } as PauseAnswer;
    const decision = { user: { id: 'u1', name: 'Ana' }, decision: 'approved', comment: null, at };
    const approval = { decisions: [decision] } as unknown as Execution['approval'];
    const text = runMarkdown({ ...run, approval }, [], [answer], String);
    expect(text).toContain(`- **Ana**: approved, ${at}\n`);
    expect(text).toContain(`- **Bo**: Retry failed hosts, Migrate, 2 hosts, ${at}: made \\# room\n`);
  });
});
