import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { ProblemItem } from '../common/errors/problem-item.js';
import { invalidRequest } from '../common/errors/problem.js';
import { toPointerPart } from '../common/text/shorten.js';
import type { VariableValue } from '../variables/variable-value.js';
import { VariableVault } from '../environments/variables/variable-vault.js';
import { requireMaskableSecrets } from '../executions/commands/start/freezing/freeze-values.js';
import { ServerVariableVault } from '../inventory/variables/server-variable-vault.js';
import type { PlanContent } from '../plans/steps/plan-content.js';
import { resolveVariables } from '../plans/variables/resolve-variables.js';
import { maskOf } from './schedules.view.js';

/** Size as JSON. Limited because lists of schedules include the variables. */
const MAX_VARIABLE_BYTES = 16_384;

type VariableValues = Record<string, VariableValue>;

export interface VariableDestination {
  tenantId: string;
  environmentId: string;
  content: PlanContent;
}

/** Variables that a schedule passes to its runs: plain values, and secrets that the API never returns. */
export interface ScheduleValues {
  plain: VariableValues;
  secrets: VariableValues;
}

@Injectable()
export class RequestedVariables {
  constructor(
    private readonly environment: VariableVault,
    private readonly servers: ServerVariableVault,
  ) {}

  /**
   * @param storedValues stored secrets of the schedule; `values` may contain their masks
   * @throws Problem 400
   */
  async read(
    tx: EntityManager,
    to: VariableDestination,
    values: VariableValues,
    storedValues: VariableValues,
  ): Promise<ScheduleValues> {
    if (Buffer.byteLength(JSON.stringify(values)) > MAX_VARIABLE_BYTES) {
      const message = `The variables of a schedule can have at most ${MAX_VARIABLE_BYTES} bytes in total. Store larger values in the environment.`;
      throw invalidRequest([{ path: '/variables', code: 'too_large', message }]);
    }
    const opened = restoreMaskedValues(values, storedValues);
    const names = Object.keys(opened);
    const { content, tenantId, environmentId } = to;
    const there = await this.environment.readValuesForPreview(tx, tenantId, environmentId);
    const declared = content.variables.filter(({ type }) => type === 'secret').map(({ name }) => name);
    const serverSecretNames = await this.servers.findSecretNames(tx, tenantId, environmentId, names);
    const secret = new Set([...Object.keys(storedValues), ...declared, ...there.secretNames, ...serverSecretNames]);
    const { problems } = resolveVariables({
      definitions: content.variables,
      layers: [{ source: 'start', values: opened, secretNames: names.filter((name) => secret.has(name)) }],
    });
    // Other variables may still be set later, in the environment or on servers.
    const own = problems.filter(({ path }) => names.some((name) => isFaultOf(path, name)));
    if (own.length > 0) throw invalidRequest(own);
    const parts: ScheduleValues = { plain: {}, secrets: {} };
    for (const [name, value] of Object.entries(opened)) (secret.has(name) ? parts.secrets : parts.plain)[name] = value;
    requireMaskableSecrets(Object.entries(parts.secrets).map(([name, value]) => ({ name, value, from: null })));
    return parts;
  }
}

const isFaultOf = (path: string, name: string): boolean => {
  const own = `/variables/${toPointerPart(name)}`;
  return path === own || path.startsWith(`${own}/`);
};

/** Replaces masks with the stored values. @throws Problem 400 for a mask without a stored value */
function restoreMaskedValues(values: VariableValues, storedValues: VariableValues): VariableValues {
  const faults: ProblemItem[] = [];
  const entries = Object.entries(values).map(([name, value]): [string, VariableValue] => {
    if (value !== maskOf(name)) return [name, value];
    const secret = Object.hasOwn(storedValues, name) ? storedValues[name] : undefined;
    if (secret !== undefined) return [name, secret];
    const message = 'No secret is stored under this name. Send its value.';
    faults.push({ path: `/variables/${toPointerPart(name)}`, code: 'required', message });
    return [name, value];
  });
  if (faults.length > 0) throw invalidRequest(faults);
  return Object.fromEntries(entries);
}

/**
 * Requires secrets to be sent again, because secrets for one plan and environment are never passed to another. @throws
 * Problem 400
 */
export function requireSecretsSent(secretNames: readonly string[]): void {
  if (secretNames.length === 0) return;
  throw invalidRequest(
    secretNames.map((name): ProblemItem => {
      const message =
        'A stored secret is not transferred to another plan or environment. Send its value, or remove it from variables.';
      return { path: `/variables/${toPointerPart(name)}`, code: 'required', message };
    }),
  );
}
