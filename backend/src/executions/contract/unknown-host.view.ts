import { ApiProperty } from '@nestjs/swagger';

/** What a host may tell of a command whose result is unknown. */
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

/** The latest time that somebody had a host asked what became of its command. */
export class HostCheckView {
  askedAt: string;
  /** Name of who asked. */
  @ApiProperty({ type: String, nullable: true })
  askedBy: string | null;
  /** The host has not answered yet; what stands below is the answer before. */
  pending: boolean;
  /** When the latest answer came; null: none yet. */
  @ApiProperty({ type: String, nullable: true })
  at: string | null;
  @ApiProperty({ enum: CHECK_FINDINGS, nullable: true })
  finding: (typeof CHECK_FINDINGS)[number] | null;
  /** What was found, and what to do. */
  @ApiProperty({ type: String, nullable: true })
  message: string | null;
}

/** A host whose result nobody knows: it keeps its guard until a person says what they found. */
export class UnknownHostView {
  serverId: string;
  name: string;
  stepKey: string;
  /** Null: nobody had it asked yet. */
  @ApiProperty({ type: HostCheckView, nullable: true })
  check: HostCheckView | null;
}
