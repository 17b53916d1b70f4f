import { ApiProperty } from '@nestjs/swagger';
import { INSTALLATION_STATES, type InstallationStateName } from '../installation/installation-state.js';
import type { DiskState } from './disk-state.js';

export class HealthView {
  /** @example "ok" */
  status: string;
}

export class ReadinessView {
  /** @example "ok" */
  status: string;

  /** State of the installation: requests are served while it is held too, but only reads. See `GET /api/installation`. */
  @ApiProperty({ enum: INSTALLATION_STATES })
  installation: InstallationStateName;

  /**
   * Worker processes that live, in the whole installation. Requests are served without one too, but no run begins.
   * @example 2
   */
  workers: number;

  /**
   * For how many seconds the run that has waited longest for a worker has waited; null when none waits.
   * @example 0
   */
  @ApiProperty({ type: 'integer', nullable: true })
  oldestWaitingSeconds: number | null;

  /**
   * Free space on the disk of the embedded database. `low`: a warning; `too_low`: new runs are refused with 503
   * `disk_space_low`. Null for an outside database.
   * @example "ok"
   */
  @ApiProperty({ type: 'string', enum: ['ok', 'low', 'too_low'], nullable: true })
  diskSpace: DiskState | null;
}
