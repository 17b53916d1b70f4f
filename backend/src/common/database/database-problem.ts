import { conflict, databaseUnusableProblem, notFound, type Problem } from '../errors/problem.js';
import { findDatabaseErrorCause, type DriverError, unwrapDriverError } from './database-cause.js';

export const isSchemaTooNew = (error: unknown): boolean => findDatabaseErrorCause(error) === 'newer_schema';

/** Whether the database is temporarily unusable, so that a retry may succeed. */
export const isDatabaseUnavailable = (error: unknown): boolean => findDatabaseErrorCause(error) !== null;

/** Returns the name of the violated constraint; null = not a violation of this kind. */
export function getViolatedConstraint(error: unknown, kind: 'unique' | 'foreign_key'): string | null {
  const { code, constraint } = unwrapDriverError(error);
  return code === (kind === 'unique' ? '23505' : '23503') ? (constraint ?? '') : null;
}

export function toDatabaseProblem(error: unknown): Problem | null {
  const cause = findDatabaseErrorCause(error);
  if (cause !== null) return databaseUnusableProblem(cause);
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
