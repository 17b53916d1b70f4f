import { ApiProperty } from '@nestjs/swagger';
import { IsBoolean } from 'class-validator';
import { OtherServerView } from '../../common/http/problem.view.js';
import { ConfirmHosts } from '../fields/confirm-hosts.js';
import { PROTECTION_STATES, type ProtectionState } from '../machines/protection-state.js';

export class SetProtectionRequest {
  /**
   * `true`: the server is the host at its address, with its pinned keys. `false`: forgets what was proved and confirmed; the
   * next login proves what is true then. What it protected counts until another approver releases it, or for a while.
   */
  @IsBoolean({ message: 'confirmed must be true or false' })
  confirmed: boolean;

  @ConfirmHosts()
  confirmHosts?: boolean;
}

/** An address or a host key that a login proved, or that an approver confirmed. */
export class HostProofView {
  /** In one spelling. @example "10.0.0.5" */
  address: string;
  /** @example 22 */
  port: number;
  /** Of the host key; null: the address alone. */
  @ApiProperty({ type: String, nullable: true })
  fingerprint: string | null;
  /** When a login proved it; null: none did. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  provedAt: string | null;
  /** What signed in: `check`, `schedule`, `enrolment`, `run`, or `upgrade` for what was stored before proofs were. */
  @ApiProperty({ type: String, nullable: true })
  provedBy: string | null;
  /** The run that signed in; null: none did. */
  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  executionId: string | null;
  /** When an approver of the environment confirmed it; null: none did. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  confirmedAt: string | null;
  @ApiProperty({ type: String, nullable: true })
  confirmedBy: string | null;
}

/** An address of a server. */
export class ServerAddressView {
  /** In one spelling. @example "10.0.0.5" */
  address: string;
  /** Whether an admin marked it as shared by several machines: its other ports are other machines then. */
  shared: boolean;
}

/** What a server protects, and what keeps runs away from it. */
export class ProtectionView {
  /**
   * `environment_open`: its environment is not protected. `not_proved`: no login proved the host and no approver confirmed
   * an address or host key, so runs of other environments may reach it. `proved`, `confirmed`: only approved runs of its
   * environment do.
   */
  @ApiProperty({ enum: PROTECTION_STATES })
  state: ProtectionState;
  /** Since when it protects its host; null: it does not. A confirmed name alone is protected, not what it stands for. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  since: string | null;
  /** Latest first, at most 200. */
  proofs: HostProofView[];
  /** Its addresses: the registered one, and those that were proved or confirmed. */
  addresses: ServerAddressView[];
  /** Servers of protected environments that keep runs away from this one: those that the caller may see. */
  protectedBy: OtherServerView[];
  /** Servers of other environments that were proved to be its host, and reach it until an admin confirms this one. */
  provedElsewhere: OtherServerView[];
  /** How many further ones of both the caller may not see. */
  hiddenServers: number;
}
