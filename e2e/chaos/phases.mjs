/** The phases of a run at which faults are aimed, and what the database tells of them. Pure. */

export const PHASES = [
  'accepted',
  'connecting',
  'intent',
  'running',
  'between_steps',
  'finishing',
  'cancelling',
  'paused',
  'recovering',
];

/**
 * Triggers of the harness's own in its database: they tell each change at the moment of its commit, because most phases
 * are over before anybody who looks from time to time sees them.
 */
export const TRIGGERS = `
create or replace function chaos_tell_run() returns trigger language plpgsql as $$
begin
  perform pg_notify('chaos', json_build_object('run', new.id, 'status', new.status, 'epoch', new.epoch, 'owner', new.owner,
    'claimed', tg_op = 'UPDATE' and new.epoch > old.epoch)::text);
  return null;
end $$;
create or replace function chaos_tell_host() returns trigger language plpgsql as $$
begin
  perform pg_notify('chaos', json_build_object('run', new.execution_id, 'server', new.server_id, 'host', new.status, 'sent', new.dispatch_id is not null,
    'open', (select count(*) from host_results r where r.execution_id = new.execution_id and r.step_index = new.step_index
        and r.status in ('PENDING', 'CONNECTING', 'RUNNING')),
    'later', exists (select 1 from execution_steps s where s.execution_id = new.execution_id and s.status = 'PENDING'))::text);
  return null;
end $$;
drop trigger if exists chaos_tell on executions;
create trigger chaos_tell after insert or update of status, epoch on executions for each row execute function chaos_tell_run();
drop trigger if exists chaos_tell on host_results;
create trigger chaos_tell after update of status, dispatch_id on host_results for each row execute function chaos_tell_host();
`;

/** The phase that a change tells of; null for none. */
export function phaseOfChange(change) {
  if (change.host === undefined) {
    if (change.status === 'PENDING') return 'accepted';
    if (change.status === 'CANCELLING') return 'cancelling';
    if (change.status === 'PAUSED') return 'paused';
    return change.status === 'RUNNING' && change.claimed && change.epoch > 1 ? 'recovering' : null;
  }
  if (change.open === 0) return change.later ? 'between_steps' : 'finishing';
  if (change.host === 'RUNNING') return 'running';
  if (change.host === 'CONNECTING' || change.host === 'PENDING') return change.sent ? 'intent' : 'connecting';
  return null;
}

/**
 * Whether a run that nobody drives any more still stands in a phase: the fault came in time.
 * @param {{ status: string, epoch: number, hosts: { status: string, sent: boolean }[], later: boolean }} run
 */
export function standsIn(phase, { status, epoch, hosts, later }) {
  const running = status === 'RUNNING';
  const open = hosts.filter((host) => ['PENDING', 'CONNECTING', 'RUNNING'].includes(host.status));
  switch (phase) {
    case 'accepted':
      return status === 'PENDING';
    case 'cancelling':
      return status === 'CANCELLING';
    case 'paused':
      return status === 'PAUSED';
    case 'recovering':
      return running && epoch > 1;
    case 'between_steps':
      return running && hosts.length > 0 && open.length === 0 && later;
    case 'finishing':
      return running && hosts.length > 0 && open.length === 0 && !later;
    case 'running':
      return running && open.some((host) => host.status === 'RUNNING');
    case 'intent':
      return running && open.some((host) => host.sent && host.status !== 'RUNNING');
    default:
      return running && open.some((host) => !host.sent);
  }
}
