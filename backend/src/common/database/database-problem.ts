import { conflict, databaseUnusable, notFound, type Problem } from '../errors/problem.js';
import { databaseCause, type DriverError, driverErrorOf } from './database-cause.js';

/** Whether a newer version has upgraded the database and closed it to this code. */
export const isClosedToThisCode = (error: unknown): boolean => databaseCause(error) === 'newer_schema';

/** Whether this error means that the database can't be reached or used now, and that the same may go through later. */
export const isDatabaseAway = (error: unknown): boolean => databaseCause(error) !== null;

/** The name of the violated constraint when this error is that violation, else null. */
export function violated(error: unknown, kind: 'unique' | 'foreign_key'): string | null {
  const { code, constraint } = driverErrorOf(error);
  return code === (kind === 'unique' ? '23505' : '23503') ? (constraint ?? '') : null;
}

/** Translates what the database refuses, once for all rooms: duplicates and references. */
export function databaseProblem(error: unknown): Problem | null {
  const cause = databaseCause(error);
  if (cause !== null) return databaseUnusable(cause);
  const unique = violated(error, 'unique');
  if (unique !== null) {
    if (unique === 'servers_external')
      return conflict(
        'duplicate_external_id',
        'Another server has this source and external id already. Change that one, or choose another id.',
      );
    return conflict('duplicate_name', 'That name is taken already. Choose another one; names are unique.');
  }
  if (violated(error, 'foreign_key') !== null) {
    // Whoever adds a reference has looked the record up before: it was deleted in between.
    if (!/^\s*delete\b/i.test((error as DriverError).query ?? '')) return notFound();
    return conflict('in_use', 'Other records still refer to this one. Change or delete those first.');
  }
  return null;
}
