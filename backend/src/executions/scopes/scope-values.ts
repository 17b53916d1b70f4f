import type { VariableValue } from '../../common/variables/variable-value.js';
import type { CommandValue } from '../../plans/rendering/render-command.js';
import { ITEM_VARIABLE } from '../../plans/steps/plan-content.js';
import type { VariableDefinition } from '../../plans/variables/variable-definition.js';
import { declaredValues, ownValuesOf, type RunValue, sharedValues, valuesOfHost } from '../record/host-values.js';
import type { Snapshot } from '../record/execution-row.js';
import type { FrozenCall, FrozenScope } from '../record/run-content.js';
import type { FrozenHost } from '../record/snapshot.js';

type Secrets = Readonly<Record<string, VariableValue>>;
type Definition = Pick<VariableDefinition, 'name' | 'type'>;

export interface ScopeValues {
  /** All names that templates can use, including unset ones. */
  values: readonly CommandValue[];
  /** Set values, including exports that the plan does not declare. */
  exports: readonly RunValue[];
}

interface Known extends ScopeValues {
  definitions: readonly Definition[];
}

/** Values of the run's steps on one group of hosts, by scope. Each scope is calculated on first use. */
export class ValuesByScope {
  private readonly known = new Map<number | null, Known>();

  private constructor(
    private readonly scopes: readonly FrozenScope[],
    private readonly secrets: Secrets,
    private readonly own: ReadonlyMap<string, RunValue>,
    private readonly root: { definitions: readonly Definition[]; exports: readonly RunValue[] },
  ) {}

  /** @param host null = hosts without server values */
  static of(
    snapshot: Pick<Snapshot, 'variables' | 'scopes'> & { plan: { variables: readonly Definition[] } },
    secrets: Secrets,
    host: Pick<FrozenHost, 'variables' | 'secrets'> | null,
    shared: readonly RunValue[] = sharedValues(snapshot, secrets),
  ): ValuesByScope {
    const own = host ? ownValuesOf(secrets, host) : [];
    const exports = host ? valuesOfHost(shared, secrets, host) : shared;
    const definitions = snapshot.plan.variables;
    const byName = new Map(own.map((each) => [each.name, each]));
    return new ValuesByScope(snapshot.scopes ?? [], secrets, byName, { definitions, exports });
  }

  /** @param scope null = the run's own plan */
  in(scope: number | null): ScopeValues {
    return this.whole(scope);
  }

  private whole(scope: number | null): Known {
    const known = this.known.get(scope) ?? this.made(scope);
    this.known.set(scope, known);
    return known;
  }

  private made(scope: number | null): Known {
    if (scope === null) return withValues(this.root.definitions, this.root.exports);
    const frozen = this.scopes[scope];
    if (!frozen) throw new Error(`The run has no scope ${scope}.`);
    const around = this.whole(frozen.around);
    if (frozen.call) return withValues(frozen.call.definitions, this.ofCall(frozen.call, around));
    const item: RunValue = { name: ITEM_VARIABLE, value: frozen.item ?? '', secret: false };
    return withValues([...around.definitions, { name: ITEM_VARIABLE, type: 'string' }], [...around.exports, item]);
  }

  /**
   * Returns the values inside a called plan. The variables of the run's own plan are hidden; exports of the environment
   * and servers stay visible.
   */
  private ofCall(call: FrozenCall, around: Known): RunValue[] {
    const hidden = new Set([...this.root.definitions, ...call.definitions].map(({ name }) => name));
    const declared = call.definitions.flatMap(({ name }) => this.valueIn(call, around, name) ?? []);
    return [...this.root.exports.filter(({ name }) => !hidden.has(name)), ...declared];
  }

  private valueIn(call: FrozenCall, around: Known, name: string): RunValue | null {
    const from = ownOf(call.from, name);
    if (from !== undefined) {
      const callerExport = around.exports.find((each) => each.name === from);
      return callerExport ? { ...callerExport, name } : null;
    }
    const ownValue = call.given.includes(name) ? undefined : this.own.get(name);
    if (ownValue) return ownValue;
    const key = ownOf(call.secrets, name);
    const secret = key === undefined ? undefined : ownOf(this.secrets, key);
    if (secret !== undefined) return { name, value: secret, secret: true };
    const value = ownOf(call.variables, name);
    return value === undefined ? null : { name, value, secret: false };
  }
}

const withValues = (definitions: readonly Definition[], exports: readonly RunValue[]): Known => ({
  definitions,
  exports,
  values: declaredValues(definitions, exports),
});

const ownOf = <T>(record: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined;
