import { conflict, databaseUnusable, notFound, type Problem } from '../errors/problem.js';
import { databaseCause, type DriverError, driverErrorOf } from './database-cause.js';

/** Whether a newer version has upgraded the database and locked out this code. */
export const isClosedToThisCode = (error: unknown): boolean => databaseCause(error) === 'newer_schema';

/** Whether the database is temporarily unreachable or unusable, so that a retry may succeed. */
export const isDatabaseAway = (error: unknown): boolean => databaseCause(error) !== null;

/** Name of the violated constraint; null: not a violation of this kind. */
export function getViolatedConstraint(error: unknown, kind: 'unique' | 'foreign_key'): string | null {
  const { code, constraint } = driverErrorOf(error);
  return code === (kind === 'unique' ? '23505' : '23503') ? (constraint ?? '') : null;
}

/** Translates duplicates and violated references for all modules. */
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
    // Callers read a record before they reference it, so it was deleted in between.
    if (!/^\s*delete\b/i.test((error as DriverError).query ?? '')) return notFound();
    return conflict('in_use', 'Other records still refer to this one. Change or delete those first.');
  }
  return null;
}
