import type { SealContext } from './envelope.js';

/** A column of sealed values in a tenant table with an `id`. Its room declares it, for whoever goes through all of them. */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  /** SQL for the version that a value is bound to: a column, or a constant. */
  readonly version: string;
  readonly context: (tenantId: string, id: string, version: number) => SealContext;
}
