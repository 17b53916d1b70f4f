import { ApiProperty } from '@nestjs/swagger';
import { INSTALLATION_STATES, type InstallationStateName } from './installation-state.js';

export class InstallationView {
  /** `draining`: running runs continue, nothing new starts. `held`: reading is possible, nothing runs or is sent. */
  @ApiProperty({ enum: INSTALLATION_STATES })
  state: InstallationStateName;

  /** `copy`: its database may be a copy of another installation. `person`: an operator stopped it. Null while active. */
  @ApiProperty({ type: String, enum: ['copy', 'person'], nullable: true })
  cause: 'copy' | 'person' | null;

  /**
   * Null while active.
   * @example "Kernel upgrade of the database server until 18:00 UTC."
   */
  @ApiProperty({ type: String, nullable: true })
  reason: string | null;

  /** How an operator ends the state; null while active. */
  @ApiProperty({ type: String, nullable: true })
  howToEnd: string | null;

  /** Time of the last change of the state. */
  @ApiProperty({ format: 'date-time' })
  since: string;
}
