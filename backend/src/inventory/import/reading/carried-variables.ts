import { findValueFault, type VariableValue } from '../../../variables/variable-value.js';
import { findNameFault } from '../../../variables/variable-name.js';
import { toTypeAndSecrecy } from '../../../variables/variable-rules.js';
import { isSecretName } from '../../fields/secret-name.js';
import type { ImportedHost } from '../formats/texts/inventory-text.js';
import type { NotCarriedRow } from '../orders/import-record.js';

const SECRET_REASON =
  'Its name marks it as a secret, and imports store no secrets. Set it as a secret variable of the server, or of the environment.';
const MAX_LISTED_NAMES = 200;

/**
 * Collects the variables that an import stores, and findings about those that it does not. Lists each name and reason
 * once.
 */
export class VariableFilter {
  private readonly leftOutRows = new Map<string, NotCarriedRow>();
  private further = 0;

  /** Undefined if the text contains no variables. */
  filterVariables({ line, name: entry, variables }: ImportedHost): Record<string, VariableValue> | undefined {
    if (variables === undefined) return undefined;
    const carriedValues: [string, VariableValue][] = [];
    for (const [name, requestedValue] of Object.entries(variables)) {
      const value: VariableValue = typeof requestedValue === 'object' ? [...requestedValue] : requestedValue;
      const reason = findVariableFault(name, value);
      if (reason === null) carriedValues.push([name, value]);
      else this.leaveOut({ line, entry, what: name, reason, places: 1 });
    }
    return Object.fromEntries(carriedValues);
  }

  listNotCarried(): { notCarried: NotCarriedRow[]; moreNotCarried: number } {
    return { notCarried: [...this.leftOutRows.values()], moreNotCarried: this.further };
  }

  private leaveOut(row: NotCarriedRow): void {
    const key = `${row.what}\n${row.reason}`;
    const known = this.leftOutRows.get(key);
    if (known) this.leftOutRows.set(key, { ...known, entry: null, places: known.places + 1 });
    else if (this.leftOutRows.size < MAX_LISTED_NAMES) this.leftOutRows.set(key, row);
    else this.further += 1;
  }
}

/** Why a plain variable cannot be stored; null = it can. */
export function findVariableFault(name: string, value: VariableValue): string | null {
  if (isSecretName(name)) return SECRET_REASON;
  if (/^runward_/i.test(name)) return 'Runward reserves names that begin like this. Choose another one.';
  return (
    findNameFault(name) ?? findValueFault({ name, type: toTypeAndSecrecy({ value }).type }, value)?.message ?? null
  );
}
