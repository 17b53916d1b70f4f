/** Phases of a run at which faults are aimed. They are derived from changes in the database. Pure. */

export const PHASES = [
  'accepted',
  'connecting',
  'intent',
  'running',
  'retry_wait',
  'batch',
  'slice',
  'between_steps',
  'finishing',
  'cancelling',
  'approval',
  'gate',
  'decision',
  'paused',
  'recovering',
];

/** Phase for each pause reason; `paused` for other reasons. */
const PAUSES = { APPROVAL: 'approval', GATE: 'gate', FAILURE_DECISION: 'decision' };
const ACTIVE = ['PENDING', 'CONNECTING', 'RUNNING'];

/**
 * Triggers that the harness adds to its database. They notify each change at its commit, because polling would miss
 * most phases. They also record the state of the run in two kinds of transactions: those that store an intent, and
 * those that decide that a host enters a step. Both hold the row lock of the run.
 */
export const TRIGGERS = `
create or replace function chaos_notify_run() returns trigger language plpgsql as $$
begin
  perform pg_notify('chaos', json_build_object('run', new.id, 'status', new.status, 'epoch', new.epoch, 'owner', new.owner,
    'pause', new.pause_reason, 'claimed', tg_op = 'UPDATE' and new.epoch > old.epoch)::text);
  return null;
end $$;
create or replace function chaos_notify_host() returns trigger language plpgsql as $$
begin
  perform pg_notify('chaos', (select json_build_object('run', new.execution_id, 'server', new.server_id, 'host', new.status,
      'sent', new.dispatch_id is not null, 'tried', new.attempts > new.attempts_before,
      'open', count(*), 'begun', count(*) filter (where r.status <> 'PENDING' or r.attempts > r.attempts_before),
      'batched', exists (select 1 from executions e where e.id = new.execution_id
        and e.snapshot #>> array['plan', 'steps', new.step_index::text, 'batch'] is not null),
      'later', exists (select 1 from execution_steps s where s.execution_id = new.execution_id and s.status = 'PENDING'))
    from host_results r where r.execution_id = new.execution_id and r.step_index = new.step_index
      and r.status in ('PENDING', 'CONNECTING', 'RUNNING'))::text);
  return null;
end $$;
create or replace function chaos_notify_slice() returns trigger language plpgsql as $$
begin
  perform pg_notify('chaos', json_build_object('run', new.execution_id, 'slice', new.id, 'owner', new.owner)::text);
  return null;
end $$;
create table if not exists chaos_dispatches (
  dispatch_id uuid primary key, status text, run_epoch int, slice_epoch int, sliced boolean, approval text);
create or replace function chaos_note_dispatch() returns trigger language plpgsql security definer as $$
begin
  insert into chaos_dispatches select new.dispatch_id, e.status, e.epoch, s.epoch, s.id is not null,
      (select a.state from approvals a where a.execution_id = e.id order by a.round desc limit 1)
    from executions e left join execution_slices s on s.execution_id = e.id
      and new.step_index between s.step_index and coalesce(s.last_step, s.step_index) and s.finished_at is null and new.server_id = any (s.server_ids)
    where e.id = new.execution_id;
  return null;
end $$;
create table if not exists chaos_step_entries (
  execution_id uuid, step_index int, server_id uuid, after_seq bigint, pause_asked boolean);
create or replace function chaos_note_step_entry() returns trigger language plpgsql security definer as $$
begin
  insert into chaos_step_entries select new.execution_id, new.step_index, new.server_id, e.event_seq, e.pause_requested_by is not null
    from executions e where e.id = new.execution_id;
  return null;
end $$;
drop trigger if exists chaos_notify on executions;
create trigger chaos_notify after insert or update of status, epoch on executions for each row execute function chaos_notify_run();
drop trigger if exists chaos_notify on host_results;
create trigger chaos_notify after update of status, dispatch_id on host_results for each row execute function chaos_notify_host();
drop trigger if exists chaos_notify on execution_slices;
create trigger chaos_notify after update of epoch on execution_slices for each row execute function chaos_notify_slice();
drop trigger if exists chaos_note on dispatches;
create trigger chaos_note after insert on dispatches for each row execute function chaos_note_dispatch();
drop trigger if exists chaos_note on host_results;
create trigger chaos_note after insert on host_results for each row execute function chaos_note_step_entry();
`;

export function phaseOfChange(change) {
  if (change.slice !== undefined) return 'slice';
  if (change.host === undefined) {
    if (change.status === 'PENDING') return 'accepted';
    if (change.status === 'CANCELLING') return 'cancelling';
    if (change.status === 'PAUSED') return PAUSES[change.pause] ?? 'paused';
    return change.status === 'RUNNING' && change.claimed && change.epoch > 1 ? 'recovering' : null;
  }
  if (change.open === 0) return change.later ? 'between_steps' : 'finishing';
  if (change.host === 'RUNNING') return 'running';
  if (change.host === 'PENDING' && change.tried && !change.sent) return 'retry_wait';
  if (change.host === 'CONNECTING' || change.host === 'PENDING') return change.sent ? 'intent' : 'connecting';
  return change.batched && change.begun === 0 ? 'batch' : null;
}

/**
 * Whether an abandoned run is still in a phase. If so, the fault came in time.
 * @param {{ status: string, epoch: number, pause: string | null, later: boolean, sliced: boolean, hosts: { status:
 *   string, sent: boolean, tried: boolean }[] }} run
 */
export function isInPhase(phase, { status, epoch, pause, hosts, later, sliced }) {
  const running = status === 'RUNNING';
  const open = hosts.filter((host) => ACTIVE.includes(host.status));
  const waits = (host) => host.status === 'PENDING' && host.tried && !host.sent;
  switch (phase) {
    case 'accepted':
      return status === 'PENDING';
    case 'cancelling':
      return status === 'CANCELLING';
    case 'approval':
    case 'gate':
    case 'decision':
    case 'paused':
      return status === 'PAUSED' && (PAUSES[pause] ?? 'paused') === phase;
    case 'recovering':
      return running && epoch > 1;
    case 'slice':
      return running && sliced;
    case 'batch':
      return running && open.length > 0 && open.every((host) => host.status === 'PENDING' && !host.tried);
    case 'retry_wait':
      return running && open.some(waits);
    case 'between_steps':
      return running && hosts.length > 0 && open.length === 0 && later;
    case 'finishing':
      return running && hosts.length > 0 && open.length === 0 && !later;
    case 'running':
      return running && open.some((host) => host.status === 'RUNNING');
    case 'intent':
      return running && open.some((host) => host.sent && host.status !== 'RUNNING');
    default:
      return running && open.some((host) => !host.sent && !waits(host));
  }
}
