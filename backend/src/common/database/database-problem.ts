import { conflict, databaseUnusable, notFound, type Problem } from '../errors/problem.js';
import { databaseCause, type DriverError, driverErrorOf } from './database-cause.js';

export const isClosedToThisCode = (error: unknown): boolean => databaseCause(error) === 'newer_schema';

/** Whether the database is temporarily unusable, so that a retry may succeed. */
export const isDatabaseAway = (error: unknown): boolean => databaseCause(error) !== null;

/** Returns the name of the violated constraint; null = not a violation of this kind. */
export function getViolatedConstraint(error: unknown, kind: 'unique' | 'foreign_key'): string | null {
  const { code, constraint } = driverErrorOf(error);
  return code === (kind === 'unique' ? '23505' : '23503') ? (constraint ?? '') : null;
}

export function databaseProblem(error: unknown): Problem | null {
  const cause = databaseCause(error);
  if (cause !== null) return databaseUnusable(cause);
  const unique = getViolatedConstraint(error, 'unique');
  if (unique !== null) {
    if (unique === 'servers_external')
      return conflict(
        'duplicate_external_id',
        'Another server already has this source and external ID. Change that server, or choose another ID.',
      );
    return conflict('duplicate_name', 'The name is already taken. Choose another one; names are unique.');
  }
  if (getViolatedConstraint(error, 'foreign_key') !== null) {
    // Callers read a record before they reference it, so the missing record was deleted in between.
    if (!/^\s*delete\b/i.test((error as DriverError).query ?? '')) return notFound();
    return conflict('in_use', 'Other records still refer to this one. Change or delete those first.');
  }
  return null;
}
