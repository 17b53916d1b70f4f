/** Why a schedule started nothing at a time. */
export const SCHEDULE_REASONS = {
  missed: 'No worker was available at the time.',
  owner_not_allowed: 'The owner of the schedule was removed or disabled, or is no longer an operator.',
  run_waiting: 'Another run of the schedule waits in the queue.',
} as const satisfies Record<string, string>;
