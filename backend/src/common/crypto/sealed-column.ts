import type { SealContext } from './envelope.js';

/**
 * Column of sealed values in a tenant table with an `id`. Each module declares its own, for code that processes all
 * sealed values.
 */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  /** SQL expression of the version to which a value is bound: a column or a constant. */
  readonly version: string;
  readonly context: (tenantId: string, id: string, version: number) => SealContext;
}
