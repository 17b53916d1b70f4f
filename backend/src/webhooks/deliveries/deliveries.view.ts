import { ApiProperty } from '@nestjs/swagger';
import { Reason, toReason } from '../../common/http/reason.view.js';
import { ReasonCode } from '../../common/errors/reason-codes.js';

export const DELIVERY_STATUSES = ['pending', 'delivered', 'dead'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export class DeliveryView {
  id: string;
  /** Header `webhook-id` of the message, the same for each attempt and replay. */
  messageId: string;
  /**
   * Type of the event, or `webhook.test`.
   * @example "execution.finished"
   */
  type: string;
  /** `pending`: waits for its turn or next attempt. `dead`: no further attempts unless it is replayed. */
  @ApiProperty({ enum: DELIVERY_STATUSES })
  status: DeliveryStatus;
  /** Time of the event. */
  at: string;
  @ApiProperty({ type: String, nullable: true })
  executionId: string | null;
  attempts: number;
  /** Time of the next attempt; null = none, or it waits for an earlier message of its run. */
  @ApiProperty({ type: String, nullable: true, format: 'date-time' })
  nextAttemptAt: string | null;
  /** Time of the latest attempt, in UTC; null = none yet. */
  @ApiProperty({ type: String, nullable: true, format: 'date-time' })
  lastAttemptAt: string | null;
  /** Duration of the latest attempt, in ms. */
  @ApiProperty({ type: Number, nullable: true })
  durationMs: number | null;
  /** HTTP status of the latest response; null = no response. */
  @ApiProperty({ type: Number, nullable: true })
  httpStatus: number | null;
  /** Why it was not delivered or is dead; null = none. */
  @ApiProperty({ type: Reason, nullable: true })
  reason: Reason | null;
  @ApiProperty({ type: String, nullable: true, format: 'date-time' })
  finishedAt: string | null;
  createdAt: string;
}

export class DeliveryListView {
  items: DeliveryView[];
  nextCursor: string | null;
}

export class DeliveryAttemptView {
  /** Number of the attempt, from 1. */
  number: number;
  /** Start of the attempt, in UTC. */
  at: string;
  /** Time from the connection to the response or the failure, in ms. */
  durationMs: number;
  /** HTTP status; null = no response. */
  @ApiProperty({ type: Number, nullable: true })
  httpStatus: number | null;
  /** Why it failed; null = delivered. */
  @ApiProperty({ type: Reason, nullable: true })
  reason: Reason | null;
  /** First 1,024 bytes of the response as text; escape it before display. Null = no response. */
  @ApiProperty({ type: String, nullable: true })
  answer: string | null;
  /** True when the response was longer. */
  truncated: boolean;
}

export class DeliveryDetailView extends DeliveryView {
  /** Signed body of the message. */
  body: string;
  /** The latest 50 attempts, newest first. */
  @ApiProperty({ type: [DeliveryAttemptView] })
  history: DeliveryAttemptView[];
}

export class ReplayedDeliveriesView {
  /** Number of replayed deliveries. */
  replayed: number;
  /** True when dead deliveries remain: call again. */
  more: boolean;
}

export interface DeliveryRow {
  id: string;
  message_id: string;
  type: string;
  state: DeliveryStatus;
  at: Date;
  execution_id: string | null;
  attempts: number;
  next_attempt_at: Date | null;
  attempted_at: Date | null;
  duration_ms: number | null;
  status: number | null;
  code: ReasonCode | null;
  message: string | null;
  finished_at: Date | null;
  created_at: Date;
}

export interface AttemptRow {
  number: number;
  at: Date;
  duration_ms: number;
  status: number | null;
  code: ReasonCode | null;
  message: string | null;
  answer: string | null;
  truncated: boolean;
}

const iso = (time: Date | null) => time?.toISOString() ?? null;

export const toDeliveryView = (row: DeliveryRow): DeliveryView => ({
  id: row.id,
  messageId: row.message_id,
  type: row.type,
  status: row.state,
  at: row.at.toISOString(),
  executionId: row.execution_id,
  attempts: row.attempts,
  nextAttemptAt: iso(row.next_attempt_at),
  lastAttemptAt: iso(row.attempted_at),
  durationMs: row.duration_ms,
  httpStatus: row.status,
  reason: toReason(row.code, row.message),
  finishedAt: iso(row.finished_at),
  createdAt: row.created_at.toISOString(),
});

export const toAttemptView = (row: AttemptRow): DeliveryAttemptView => ({
  number: row.number,
  at: row.at.toISOString(),
  durationMs: row.duration_ms,
  httpStatus: row.status,
  reason: toReason(row.code, row.message),
  answer: row.answer,
  truncated: row.truncated,
});
