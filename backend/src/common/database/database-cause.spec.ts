import { describe, expect, it } from '@jest/globals';
import { QueryFailedError, QueryRunnerAlreadyReleasedError, TransactionNotStartedError } from 'typeorm';
import { DATABASE_PROBLEMS } from '../errors/problems/database-problems.js';
import {
  type DatabaseErrorCause,
  findDatabaseErrorCause,
  DatabaseUnusableError,
  toOneLineMessage,
} from './database-cause.js';
import { DatabaseFaults } from './database-faults.js';

const driver = (code: string, message = 'as the server puts it', more: object = {}) =>
  Object.assign(new Error(message), { code, ...more });
const pgHba = (end: string) =>
  driver('28000', `no pg_hba.conf entry for host "10.0.0.1", user "app", database "runward", ${end}`);

const CAUSES: [DatabaseErrorCause, Error][] = [
  ['database_unavailable', driver('ECONNREFUSED')],
  ['database_unavailable', driver('57P01', 'terminating connection due to administrator command')],
  ['database_unavailable', new Error('Connection terminated unexpectedly')],
  ['database_unavailable', new Error('timeout exceeded when trying to connect')],
  ['database_unavailable', new QueryRunnerAlreadyReleasedError()],
  ['database_unavailable', new TransactionNotStartedError()],
  ['database_unavailable', driver('0A000', 'cached plan must not change result type')],
  ['database_unknown_host', driver('ENOTFOUND', 'getaddrinfo ENOTFOUND db')],
  ['database_unknown_host', driver('EAI_AGAIN')],
  ['database_starting', driver('57P03', 'the database system is starting up')],
  ['database_full', driver('53100', 'could not extend file "base/1/2": No space left on device')],
  ['database_memory', driver('53200', 'out of memory')],
  ['database_connections', driver('53300', 'sorry, too many clients already')],
  ['database_connections', driver('08P01', 'no more connections allowed (max_client_conn)')],
  ['database_read_only', driver('25006', 'cannot execute INSERT in a read-only transaction')],
  ['database_read_only', new DatabaseUnusableError('database_read_only')],
  ['database_password', driver('28P01', 'password authentication failed for user "app"')],
  ['database_password', new Error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string')],
  ['database_login', driver('28000', 'role "app" does not exist')],
  ['database_login', pgHba('SSL encryption')],
  ['database_tls_required', pgHba('no encryption')],
  ['database_tls_required', pgHba('SSL off')],
  ['database_tls_missing', new Error('The server does not support SSL connections')],
  ['database_certificate', driver('DEPTH_ZERO_SELF_SIGNED_CERT')],
  ['database_certificate', driver('UNABLE_TO_GET_ISSUER_CERT_LOCALLY')],
  ['database_certificate', driver('ERR_TLS_CERT_ALTNAME_INVALID')],
  ['database_missing', driver('3D000', 'database "runward" does not exist')],
  ['database_pooler', new DatabaseUnusableError('database_pooler')],
  ['database_conflict', driver('40P01', 'deadlock detected')],
  ['database_conflict', driver('40001')],
  ['newer_schema', driver('42501', 'a newer Runward', { constraint: 'current_code' })],
];

describe('the cause of a database error', () => {
  it.each(CAUSES)('is %s: %s', (cause, error) => {
    expect(findDatabaseErrorCause(error)).toBe(cause);
    expect(findDatabaseErrorCause(new QueryFailedError('select 1', [], error))).toBe(
      error instanceof QueryRunnerAlreadyReleasedError || error instanceof TransactionNotStartedError ? null : cause,
    );
    expect(toOneLineMessage(cause, error)).toMatch(/^[A-Z][^\n]*\.$/);
  });

  it.each([
    ['a duplicate', driver('23505', 'duplicate key value')],
    ['a missing right', driver('42501', 'permission denied for table users')],
    ['a fault of the program', new TypeError('x is undefined')],
    ['nothing', undefined],
  ])('is none for %s', (_, error) => expect(findDatabaseErrorCause(error)).toBeNull());

  it('has an example here, except the cause without an error', () => {
    const known = new Set(CAUSES.map(([cause]) => cause));
    expect(Object.keys(DATABASE_PROBLEMS).filter((cause) => !known.has(cause as DatabaseErrorCause))).toEqual([
      'disk_space_low',
    ]);
  });
});

describe('a cause that prevents writes', () => {
  it('counts for half a minute or until a write succeeds', () => {
    let now = 0;
    const faults = new DatabaseFaults(() => now);
    expect(faults.writeCause).toBeNull();
    faults.recordError(driver('53300'));
    expect(faults.writeCause).toBeNull();
    faults.recordError(driver('53100'));
    now += 29_999;
    expect(faults.writeCause).toBe('database_full');
    now += 1;
    expect(faults.writeCause).toBeNull();
    faults.recordError(driver('53100'));
    faults.recordSuccessfulWrite();
    expect(faults.writeCause).toBeNull();
  });
});
