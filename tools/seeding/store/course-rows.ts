import type { RunCourse, CourseResult } from '../invent/run-course.js';

/** Owner of the runs' leases. */
const WORKER = 'seeded:1:5eeded00';
const APPROVAL_TTL_SECONDS = 86_400;
const STREAMS = { stdout: 1, stderr: 2 } as const;

/** Returns the rows of a history, by table. Times are in ms from the start of the run. */
export function toCourseRows(course: RunCourse) {
  const { start, status, reason, events, chunks } = course;
  const { plan, environment, snapshot, by, hosts } = start;
  const claimed = course.startMs !== null;
  const outputs = events.filter(({ type }) => type === 'output.appended').length;
  return {
    executions: [
      {
        plan_id: plan.id,
        plan_revision: start.revision,
        plan_name: plan.name,
        environment_id: environment.id,
        environment_name: environment.name,
        status,
        execution_mode: start.mode,
        status_code: reason?.code ?? null,
        status_text: reason?.text ?? null,
        note: start.note,
        snapshot,
        digest: start.digest,
        started_by: by.id,
        started_by_name: by.name,
        started_via: by.tokenPrefix === null ? 'session' : 'token',
        token_prefix: by.tokenPrefix,
        host_count: hosts.length,
        owner: claimed ? WORKER : null,
        epoch: claimed ? 1 : 0,
        event_seq: events.length,
        chunk_seq: chunks.length,
        flush_seq: course.results.length * 2,
        version: 1 + events.length - outputs,
        started_at: course.startMs,
        finished_at: course.endMs,
        limit_seconds: claimed ? snapshot.plan.timeoutSeconds : null,
      },
    ],
    execution_steps: course.steps.map((step, index) => ({
      step_index: index,
      key: step.key,
      name: snapshot.plan.steps[index]?.name,
      type: snapshot.plan.steps[index]?.type,
      status: step.status,
      reason: step.reason?.text ?? null,
      reason_code: step.reason?.code ?? null,
      counts: countsOf(course.results, index),
      started_at: step.startMs,
      finished_at: step.endMs,
    })),
    execution_hosts: hosts.map((host) => {
      const own = course.results.filter(({ serverId }) => serverId === host.server_id);
      const reached = own.some(({ outcome }) => outcome.status !== 'UNREACHABLE');
      return {
        ...host,
        status: course.hosts[host.server_id],
        last_step_key: snapshot.plan.steps[Math.max(...own.map(({ index }) => index))]?.key ?? null,
        reached_address: reached ? start.addresses.get(host.server_id) : null,
      };
    }),
    host_results: course.results.map((result) => resultRow(course, result)),
    dispatches: course.results.flatMap(({ index, serverId, dispatchedMs }) =>
      dispatchedMs === null ? [] : [{ step_index: index, server_id: serverId, attempt: 1, epoch: 1, at: dispatchedMs }],
    ),
    output_chunks: chunks.map((chunk, index) => ({
      seq: index + 1,
      step_index: chunk.index,
      server_id: chunk.serverId,
      stream: STREAMS[chunk.stream],
      first_line: chunk.firstLine,
      line_count: chunk.lineCount,
      text: chunk.data.toString('base64'),
      at: chunk.ms,
    })),
    execution_events: events.map(({ type, data, ms }, index) => ({ seq: index + 1, type, data, at: ms })),
    approvals: approvalRows(course),
    approval_decisions: decisionRows(course),
  };
}

function resultRow(
  { chunks }: RunCourse,
  { index, serverId, startMs, dispatchedMs, endMs, outcome, verdict }: CourseResult,
) {
  const output = chunks.filter((chunk) => chunk.index === index && chunk.serverId === serverId);
  const hasStarted = dispatchedMs !== null;
  return {
    step_index: index,
    server_id: serverId,
    status: outcome.status,
    attempts: hasStarted ? 1 : 0,
    epoch: hasStarted ? 1 : null,
    exit_code: outcome.exitCode,
    signal: outcome.signal,
    code: outcome.code,
    message: outcome.message,
    changed: outcome.changed ?? null,
    verdict,
    journaled: hasStarted ? true : null,
    output_lines: output.reduce((sum, { lineCount }) => sum + lineCount, 0),
    output_bytes: output.reduce((sum, { data }) => sum + data.length, 0),
    started_at: startMs,
    finished_at: endMs,
    command_started_at: hasStarted ? dispatchedMs + 2 : null,
  };
}

function countsOf(results: readonly CourseResult[], step: number): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { index, outcome } of results)
    if (index === step) counts[outcome.status] = (counts[outcome.status] ?? 0) + 1;
  return counts;
}

function approvalRows({ approval, start }: RunCourse) {
  if (!approval) return [];
  return [
    {
      round: 1,
      state: approval.state,
      required_approvals: 1,
      allow_self_approval: false,
      digest: start.digest,
      requested_by: start.by.id,
      requested_by_name: start.by.name,
      decided_at: approval.decidedMs,
      ttl_seconds: APPROVAL_TTL_SECONDS,
    },
  ];
}

function decisionRows({ approval, start }: RunCourse) {
  if (!approval?.decision) return [];
  const { by, verdict, comment } = approval.decision;
  return [
    {
      round: 1,
      user_id: by.id,
      user_name: by.name,
      decision: verdict,
      comment,
      digest: start.digest,
      at: approval.decidedMs,
    },
  ];
}
