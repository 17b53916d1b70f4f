import { ApiProperty } from '@nestjs/swagger';
import { INSTALLATION_STATES, type InstallationStateName } from './installation-state.js';
import { Reason } from '../http/reason.view.js';

export class InstallationView {
  /** `draining`: running runs continue, nothing new starts. `held`: reading is possible, nothing runs or is sent. */
  @ApiProperty({ enum: INSTALLATION_STATES })
  state: InstallationStateName;

  /**
   * Null while active. `copied_installation`: its database may be a copy of another installation.
   * `stopped_by_operator`: an operator stopped it.
   */
  @ApiProperty({ type: Reason, nullable: true })
  reason: Reason | null;

  /** How an operator ends the state; null while active. */
  @ApiProperty({ type: String, nullable: true })
  howToEnd: string | null;

  /** Time of the last change of the state. */
  @ApiProperty({ format: 'date-time' })
  since: string;
}
