/** The phases of a run at which faults are aimed, and what the database tells of them. Pure. */

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

/** Why a run waits, as a phase; other reasons are `paused`. */
const PAUSES = { APPROVAL: 'approval', GATE: 'gate', FAILURE_DECISION: 'decision' };
const UNDER_WAY = ['PENDING', 'CONNECTING', 'RUNNING'];

/**
 * Triggers of the harness's own in its database: they tell each change at the moment of its commit, because most phases
 * are over before anybody who looks from time to time sees them. And they note, in the transaction of each intent, and of
 * each decision that has a host come to a step, what its run was like just then: whoever decides holds the run's row.
 */
export const TRIGGERS = `
create or replace function chaos_tell_run() returns trigger language plpgsql as $$
begin
  perform pg_notify('chaos', json_build_object('run', new.id, 'status', new.status, 'epoch', new.epoch, 'owner', new.owner,
    'pause', new.pause_reason, 'claimed', tg_op = 'UPDATE' and new.epoch > old.epoch)::text);
  return null;
end $$;
create or replace function chaos_tell_host() returns trigger language plpgsql as $$
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
create or replace function chaos_tell_slice() returns trigger language plpgsql as $$
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
create table if not exists chaos_comings (
  execution_id uuid, step_index int, server_id uuid, after_seq bigint, pause_asked boolean);
create or replace function chaos_note_coming() returns trigger language plpgsql security definer as $$
begin
  insert into chaos_comings select new.execution_id, new.step_index, new.server_id, e.event_seq, e.pause_requested_by is not null
    from executions e where e.id = new.execution_id;
  return null;
end $$;
drop trigger if exists chaos_tell on executions;
create trigger chaos_tell after insert or update of status, epoch on executions for each row execute function chaos_tell_run();
drop trigger if exists chaos_tell on host_results;
create trigger chaos_tell after update of status, dispatch_id on host_results for each row execute function chaos_tell_host();
drop trigger if exists chaos_tell on execution_slices;
create trigger chaos_tell after update of epoch on execution_slices for each row execute function chaos_tell_slice();
drop trigger if exists chaos_note on dispatches;
create trigger chaos_note after insert on dispatches for each row execute function chaos_note_dispatch();
drop trigger if exists chaos_note on host_results;
create trigger chaos_note after insert on host_results for each row execute function chaos_note_coming();
`;

/** The phase that a change tells of; null for none. */
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
 * Whether a run that nobody drives any more still stands in a phase: the fault came in time.
 * @param {{ status: string, epoch: number, pause: string | null, later: boolean, sliced: boolean,
 *   hosts: { status: string, sent: boolean, tried: boolean }[] }} run
 */
export function standsIn(phase, { status, epoch, pause, hosts, later, sliced }) {
  const running = status === 'RUNNING';
  const open = hosts.filter((host) => UNDER_WAY.includes(host.status));
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
