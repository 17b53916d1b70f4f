import { Inject, Injectable } from '@nestjs/common';
import { openSealedValue, type SealContext, sealValue } from '../../common/crypto/envelope.js';
import type { SealedColumn } from '../../common/database/sealed-values.js';
import { RUNTIME, type Runtime } from '../../common/settings/runtime.js';
import type { VariableValue } from '../../variables/variable-value.js';

/**
 * Binds the values to the schedule and its version: they cannot be opened in another schedule or in an earlier version.
 */
const createSealContext = (tenantId: string, id: string, version: number): SealContext => ({
  ...{ tenant: tenantId, table: 'schedules', record: id, field: 'variables', version },
});

export const SEALED_SCHEDULE_VARIABLES: SealedColumn = {
  ...{ table: 'schedules', column: 'sealed_variables', version: 'sealed_version', context: createSealContext },
};

type ScheduleSecrets = Record<string, VariableValue>;

@Injectable()
export class ScheduleVault {
  constructor(@Inject(RUNTIME) private readonly runtime: Runtime) {}

  /** Returns null if there are no secrets. */
  seal(tenantId: string, id: string, version: number, secrets: ScheduleSecrets): Buffer | null {
    if (Object.keys(secrets).length === 0) return null;
    return sealValue(
      this.runtime.masterKey,
      Buffer.from(JSON.stringify(secrets)),
      createSealContext(tenantId, id, version),
    );
  }

  open(tenantId: string, id: string, version: number, sealed: Buffer | null): ScheduleSecrets {
    if (!sealed) return {};
    return JSON.parse(
      openSealedValue(this.runtime.masterKey, sealed, createSealContext(tenantId, id, version)).toString(),
    ) as ScheduleSecrets;
  }
}
