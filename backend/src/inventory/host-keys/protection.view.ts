import { ApiProperty } from '@nestjs/swagger';
import { IsBoolean } from 'class-validator';
import { UserReference } from '../../common/http/user-reference.view.js';
import { OtherServerView } from '../../common/http/problem.view.js';
import { ConfirmHosts } from '../fields/confirm-hosts.js';
import { PROTECTION_STATES, type ProtectionState } from '../machines/protection-state.js';

export class SetProtectionRequest {
  /**
   * `true`: confirms that the server is the host at its address, with its pinned keys. `false`: forgets proofs and
   * confirmations; the next login stores new proofs. What the server protected stays protected until another approver
   * releases it or the time limit ends.
   */
  @IsBoolean({ message: 'confirmed must be true or false' })
  confirmed: boolean;

  @ConfirmHosts()
  confirmHosts?: boolean;
}

/** Address or host key that a login proved or an approver confirmed. */
export class HostProofView {
  /** Canonical address. @example "10.0.0.5" */
  address: string;
  /** @example 22 */
  port: number;
  /** Fingerprint of the host key; null = the address alone. */
  @ApiProperty({ type: String, nullable: true })
  fingerprint: string | null;
  /** Time of the proof; null = not proved by a login. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  provedAt: string | null;
  /** Source of the proof: `check`, `schedule`, `enrolment`, `run`, or `upgrade` for data from before proofs existed. */
  @ApiProperty({ type: String, nullable: true })
  provedHow: string | null;
  /** Run that signed in; null = not proved by a run. */
  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  executionId: string | null;
  /** Time at which an approver of the environment confirmed it; null = not confirmed. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  confirmedAt: string | null;
  /** Approver who confirmed it; null = unknown, or confirmed by an upgrade of Runward. */
  @ApiProperty({ type: UserReference, nullable: true })
  confirmedBy: UserReference | null;
}

/** Address of a server. */
export class ServerAddressView {
  /** Canonical address. @example "10.0.0.5" */
  address: string;
  /** Whether an admin marked it as shared by several machines. Other ports of the address are then other machines. */
  shared: boolean;
}

/** What a server protects, and which servers prevent runs on it. */
export class ProtectionView {
  /**
   * `environment_open`: its environment is not protected. `not_proved`: no login proved the host and no approver
   * confirmed an address or host key, so runs of other environments may reach it. `proved`, `confirmed`: only approved
   * runs of its environment reach it.
   */
  @ApiProperty({ enum: PROTECTION_STATES })
  state: ProtectionState;
  /**
   * Start of the protection; null = none. A confirmed name protects only the name, not the addresses it resolves to.
   */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  since: string | null;
  /** Latest first, at most 200. */
  proofs: HostProofView[];
  /** Registered address, and proved or confirmed addresses. */
  addresses: ServerAddressView[];
  /** Servers of protected environments that prevent runs on this server, limited to those visible to the caller. */
  protectedBy: OtherServerView[];
  /**
   * Servers of other environments that were proved to be its host. They can reach it until an admin confirms this
   * server.
   */
  provedElsewhere: OtherServerView[];
  /** Number of servers of both lists that are hidden from the caller. */
  hiddenServers: number;
}
