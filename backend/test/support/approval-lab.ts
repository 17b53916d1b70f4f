import type { ExecutionView } from '../../src/executions/contract/execution.view.js';
import type { ApiClient } from './api-client.js';
import { changePolicy } from './environment-policy.js';
import type { TestMember } from './installation.js';
import { endedRun, eventsOf, pausedRun, trailOf } from './paused-run.js';
import { type LabOptions, type RunLab, startRunLab } from './run-lab.js';

export type SteeringAnswer = ExecutionView & { code: string; detail: string; choices?: string[] };

/** Run lab with a protected environment, a shared host key, and members who start and approve runs. */
export interface ApprovalLab extends RunLab {
  /** Member who starts runs. The plans belong to the admin. */
  operator: TestMember;
  approver: TestMember;
  second: TestMember;
  policy(changes: object): Promise<void>;
  grant(member: TestMember, level: 'view' | 'run' | 'approve' | null): Promise<void>;
  /** Starts a run that waits for approval. Default caller: operator. */
  waiting(planId: string, caller?: ApiClient, more?: object): Promise<ExecutionView>;
  /** Approves the current digest of the run, unless `body` has another one. */
  approve(id: string, by?: ApiClient, body?: object): Promise<{ status: number; body: SteeringAnswer }>;
  reject(id: string, by?: ApiClient, body?: object): Promise<{ status: number; body: SteeringAnswer }>;
  leaving(file: string, text?: string): string;
  /** Returns the actions in the audit trail of the run, oldest first. */
  trail(id: string): Promise<string[]>;
  /** Returns the types of the run's events, each with a distinguishing detail, oldest first. */
  events(id: string): Promise<string[]>;
  /**
   * Waits for the end of the run, even if it pauses.
   * @throws Error after `seconds`
   */
  ended(id: string, seconds?: number): Promise<ExecutionView>;
  /**
   * Waits for a pause of the run.
   * @throws Error if the run ends instead
   */
  paused(id: string, seconds?: number): Promise<ExecutionView>;
}

export async function startApprovalLab(options: LabOptions = {}): Promise<ApprovalLab> {
  const lab = await startRunLab(options);
  const { api, admin, environmentId, runward } = lab;
  await lab.shareHostKey();
  const grant: ApprovalLab['grant'] = async (member, level) => {
    const path = `/api/environments/${environmentId}/grants/${member.userId}`;
    await (level === null ? api.delete(path) : api.put(path, { level }));
  };
  const policy = async (changes: object): Promise<void> => {
    const { status, text } = await changePolicy(api, environmentId, { ...changes });
    if (status !== 200) throw new Error(`The policy was not changed: ${text}`);
  };
  const operator = await runward.member(admin, 'operator');
  const approver = await runward.member(admin, 'viewer');
  const second = await runward.member(admin, 'viewer');
  for (const member of [approver, second]) await grant(member, 'approve');
  await policy({ protected: true });
  return {
    ...lab,
    operator,
    approver,
    second,
    policy,
    grant,
    async waiting(planId, caller = operator.api, more = {}) {
      const { status, body, text } = await lab.tryStart(planId, more as Record<string, unknown>, caller);
      if (status !== 201) throw new Error(`The run was not accepted: ${text}`);
      return body;
    },
    async approve(id, by = approver.api, body = {}) {
      const { digest } = await lab.get(id);
      return by.post<SteeringAnswer>(`/api/executions/${id}/approve`, { digest, ...body });
    },
    reject: (id, by = approver.api, body = { comment: 'not tonight' }) =>
      by.post<SteeringAnswer>(`/api/executions/${id}/reject`, body),
    leaving: (file, text = 'ran') => `echo ${text} >> ${lab.evidence}/${file}`,
    ended: (id, seconds) => endedRun(lab, id, seconds),
    paused: (id, seconds) => pausedRun(lab, id, seconds),
    trail: (id) => trailOf(lab, id),
    events: (id) => eventsOf(lab, id),
  };
}
