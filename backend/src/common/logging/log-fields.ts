import { AsyncLocalStorage } from 'node:async_hooks';

/** Fields of a log line, beside time, level, context and message. IDs, never names or addresses of people. */
export interface LogFields {
  request?: string;
  run?: string;
  tenant?: string;
  user?: string;
  [field: string]: string | number | undefined;
}

const storage = new AsyncLocalStorage<LogFields>();

/** Adds the fields to each line that `work` logs, also asynchronously. Extends the fields of the caller. */
export const runWithLogFields = <T>(fields: LogFields, work: () => T): T =>
  storage.run({ ...storage.getStore(), ...fields }, work);

/** Adds fields that became known during the current `runWithLogFields`. Does nothing outside of one. */
export function addLogFields(fields: LogFields): void {
  const store = storage.getStore();
  if (store) Object.assign(store, fields);
}

export const getLogFields = (): LogFields => storage.getStore() ?? {};
