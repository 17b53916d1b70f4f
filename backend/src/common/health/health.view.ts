import { ApiProperty } from '@nestjs/swagger';
import { INSTALLATION_STATES, type InstallationStateName } from '../installation/installation-state.js';
import type { DiskState } from './disk-space.js';

export class HealthView {
  /**
   * Always `ok`: the process answers requests.
   * @example "ok"
   */
  status: string;
}

export class ReadinessView {
  /**
   * Always `ok`: otherwise the answer is 503.
   * @example "ok"
   */
  status: string;

  /** State of the installation. While it is held, it answers only reads. See `GET /api/installation`. */
  @ApiProperty({ enum: INSTALLATION_STATES })
  installation: InstallationStateName;

  /**
   * Number of live worker processes in the whole installation. Without a worker, requests are answered, but no run
   * begins.
   * @example 2
   */
  workers: number;

  /**
   * Longest time that a run has waited for a worker, in seconds; null = none waits.
   * @example 0
   */
  @ApiProperty({ type: 'integer', nullable: true })
  oldestWaitingSeconds: number | null;

  /**
   * Free space on the disk of the embedded database. `low`: a warning. `too_low`: new runs are refused with 503
   * `disk_space_low`. Null for an external database.
   * @example "ok"
   */
  @ApiProperty({ type: 'string', enum: ['ok', 'low', 'too_low'], nullable: true })
  diskSpace: DiskState | null;
}
