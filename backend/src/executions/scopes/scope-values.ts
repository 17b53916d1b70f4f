import type { VariableValue } from '../../variables/variable-value.js';
import type { CommandValue } from '../../plans/rendering/render-command.js';
import { ITEM_VARIABLE } from '../../plans/steps/fields/loop.fields.js';
import type { VariableDefinition } from '../../plans/variables/variable-definition.js';
import {
  selectDeclaredValues,
  listOwnValues,
  type RunValue,
  listSharedValues,
  listHostValues,
} from '../record/host-values.js';
import type { Snapshot } from '../record/execution-row.js';
import type { FrozenCall, FrozenScope } from '../record/run-content.js';
import type { FrozenHost } from '../record/snapshot.js';

type SecretValues = Readonly<Record<string, VariableValue>>;
type ValueDefinition = Pick<VariableDefinition, 'name' | 'type'>;

export interface ScopeValues {
  /** All names that templates can use, including unset ones. */
  values: readonly CommandValue[];
  /** Set values, including exports that the plan does not declare. */
  exports: readonly RunValue[];
}

interface KnownValues extends ScopeValues {
  definitions: readonly ValueDefinition[];
}

/** Values of the run's steps on one group of hosts, by scope. Each scope is calculated on first use. */
export class ValuesByScope {
  private readonly known = new Map<number | null, KnownValues>();

  private constructor(
    private readonly scopes: readonly FrozenScope[],
    private readonly secrets: SecretValues,
    private readonly own: ReadonlyMap<string, RunValue>,
    private readonly root: { definitions: readonly ValueDefinition[]; exports: readonly RunValue[] },
  ) {}

  /** @param host null = hosts without server values */
  static create(
    snapshot: Pick<Snapshot, 'variables' | 'scopes'> & { plan: { variables: readonly ValueDefinition[] } },
    secrets: SecretValues,
    host: Pick<FrozenHost, 'variables' | 'secrets'> | null,
    shared: readonly RunValue[] = listSharedValues(snapshot, secrets),
  ): ValuesByScope {
    const own = host ? listOwnValues(secrets, host) : [];
    const exports = host ? listHostValues(shared, secrets, host) : shared;
    const definitions = snapshot.plan.variables;
    const byName = new Map(own.map((each) => [each.name, each]));
    return new ValuesByScope(snapshot.scopes ?? [], secrets, byName, { definitions, exports });
  }

  /** @param scope null = the run's own plan */
  getScopeValues(scope: number | null): ScopeValues {
    return this.getKnownValues(scope);
  }

  private getKnownValues(scope: number | null): KnownValues {
    const known = this.known.get(scope) ?? this.createKnownValues(scope);
    this.known.set(scope, known);
    return known;
  }

  private createKnownValues(scope: number | null): KnownValues {
    if (scope === null) return toKnownValues(this.root.definitions, this.root.exports);
    const frozen = this.scopes[scope];
    if (!frozen) throw new Error(`The run has no scope ${scope}.`);
    const around = this.getKnownValues(frozen.around);
    if (frozen.call) return toKnownValues(frozen.call.definitions, this.listCallValues(frozen.call, around));
    const item: RunValue = { name: ITEM_VARIABLE, value: frozen.item ?? '', secret: false };
    return toKnownValues([...around.definitions, { name: ITEM_VARIABLE, type: 'string' }], [...around.exports, item]);
  }

  /**
   * Returns the values inside a called plan. The variables of the run's own plan are hidden; exports of the environment
   * and servers stay visible.
   */
  private listCallValues(call: FrozenCall, around: KnownValues): RunValue[] {
    const hidden = new Set([...this.root.definitions, ...call.definitions].map(({ name }) => name));
    const declared = call.definitions.flatMap(({ name }) => this.findCallValue(call, around, name) ?? []);
    return [...this.root.exports.filter(({ name }) => !hidden.has(name)), ...declared];
  }

  private findCallValue(call: FrozenCall, around: KnownValues, name: string): RunValue | null {
    const from = getOwnEntry(call.from, name);
    if (from !== undefined) {
      const callerExport = around.exports.find((each) => each.name === from);
      return callerExport ? { ...callerExport, name } : null;
    }
    const ownValue = call.given.includes(name) ? undefined : this.own.get(name);
    if (ownValue) return ownValue;
    const key = getOwnEntry(call.secrets, name);
    const secret = key === undefined ? undefined : getOwnEntry(this.secrets, key);
    if (secret !== undefined) return { name, value: secret, secret: true };
    const value = getOwnEntry(call.variables, name);
    return value === undefined ? null : { name, value, secret: false };
  }
}

const toKnownValues = (definitions: readonly ValueDefinition[], exports: readonly RunValue[]): KnownValues => ({
  definitions,
  exports,
  values: selectDeclaredValues(definitions, exports),
});

const getOwnEntry = <T>(record: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined;
