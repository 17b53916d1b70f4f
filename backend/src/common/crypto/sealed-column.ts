import type { SealContext } from './envelope.js';

/**
 * Column of sealed values in a tenant table with an `id`. Declared by its module, for code that processes all sealed
 * values.
 */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  /** SQL of the version that a value is bound to: a column or a constant. */
  readonly version: string;
  readonly context: (tenantId: string, id: string, version: number) => SealContext;
}
