import { ApiProperty } from '@nestjs/swagger';

export const CHECK_FINDINGS = [
  'succeeded',
  'failed',
  'still_running',
  'never_started',
  'rebooted',
  'journal_gone',
  'not_reached',
  'check_failed',
] as const;

/** Latest request to ask a host for the result of its command. */
export class HostCheckView {
  askedAt: string;
  /** Name of the member who requested it. */
  @ApiProperty({ type: String, nullable: true })
  askedBy: string | null;
  /** The host has not answered yet; the following fields are of the previous answer. */
  pending: boolean;
  /** Time of the latest answer; null = none yet. */
  @ApiProperty({ type: String, nullable: true })
  at: string | null;
  @ApiProperty({ enum: CHECK_FINDINGS, nullable: true })
  finding: (typeof CHECK_FINDINGS)[number] | null;
  /** Finding, and what to do. */
  @ApiProperty({ type: String, nullable: true })
  message: string | null;
}

/** Host with an unknown result. It keeps its guard key until the result is resolved. */
export class UnknownHostView {
  serverId: string;
  name: string;
  stepKey: string;
  /** Null = the host was not asked again yet. */
  @ApiProperty({ type: HostCheckView, nullable: true })
  check: HostCheckView | null;
}
