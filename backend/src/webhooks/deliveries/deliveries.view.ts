import { ApiProperty } from '@nestjs/swagger';
import { DELIVERY_CODES } from '../sending/attempt.js';

export const DELIVERY_STATES = ['pending', 'delivered', 'dead'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

export class DeliveryView {
  id: string;
  /** The `webhook-id` that the receiver sees; the same at each attempt and replay. */
  messageId: string;
  /** @example "execution.finished" */
  type: string;
  /** `pending`: it waits for its turn or its next attempt; `dead`: it is not tried any more, unless it is replayed. */
  @ApiProperty({ enum: DELIVERY_STATES })
  state: DeliveryState;
  /** When what it tells of happened. */
  at: string;
  @ApiProperty({ type: String, nullable: true })
  executionId: string | null;
  attempts: number;
  /** When it is tried next; null: it is over, or waits for an earlier message of its run. */
  @ApiProperty({ type: String, nullable: true, format: 'date-time' })
  nextAttemptAt: string | null;
  @ApiProperty({ type: String, nullable: true, format: 'date-time' })
  lastAttemptAt: string | null;
  /** Of the latest attempt. */
  @ApiProperty({ type: Number, nullable: true })
  durationMs: number | null;
  /** Status of the latest answer; null: there was none. */
  @ApiProperty({ type: Number, nullable: true })
  status: number | null;
  /** Why it was not delivered, or is dead; null: neither. */
  @ApiProperty({ enum: DELIVERY_CODES, nullable: true })
  code: string | null;
  @ApiProperty({ type: String, nullable: true })
  message: string | null;
  @ApiProperty({ type: String, nullable: true, format: 'date-time' })
  finishedAt: string | null;
  createdAt: string;
}

export class DeliveryListView {
  items: DeliveryView[];
  nextCursor: string | null;
}

export class DeliveryAttemptView {
  number: number;
  at: string;
  durationMs: number;
  /** Null: there was no answer. */
  @ApiProperty({ type: Number, nullable: true })
  status: number | null;
  /** Null: it was delivered. */
  @ApiProperty({ enum: DELIVERY_CODES, nullable: true })
  code: string | null;
  @ApiProperty({ type: String, nullable: true })
  message: string | null;
  /** The first 1024 bytes of the answer as text; whoever shows it has to escape it. Null: there was no answer. */
  @ApiProperty({ type: String, nullable: true })
  answer: string | null;
  /** The answer was longer. */
  truncated: boolean;
}

export class DeliveryDetailView extends DeliveryView {
  /** The body that is sent and signed. */
  body: string;
  /** The latest 50, the newest first. */
  @ApiProperty({ type: [DeliveryAttemptView] })
  history: DeliveryAttemptView[];
}

export class ReplayedDeliveriesView {
  /** How many are sent again. */
  replayed: number;
  /** Whether more dead ones are left: call again. */
  more: boolean;
}

export interface DeliveryRow {
  id: string;
  message_id: string;
  type: string;
  state: DeliveryState;
  at: Date;
  execution_id: string | null;
  attempts: number;
  next_attempt_at: Date | null;
  attempted_at: Date | null;
  duration_ms: number | null;
  status: number | null;
  code: string | null;
  message: string | null;
  finished_at: Date | null;
  created_at: Date;
}

export interface AttemptRow {
  number: number;
  at: Date;
  duration_ms: number;
  status: number | null;
  code: string | null;
  message: string | null;
  answer: string | null;
  truncated: boolean;
}

const iso = (time: Date | null) => time?.toISOString() ?? null;

export const toDeliveryView = (row: DeliveryRow): DeliveryView => ({
  id: row.id,
  messageId: row.message_id,
  type: row.type,
  state: row.state,
  at: row.at.toISOString(),
  executionId: row.execution_id,
  attempts: row.attempts,
  nextAttemptAt: iso(row.next_attempt_at),
  lastAttemptAt: iso(row.attempted_at),
  durationMs: row.duration_ms,
  status: row.status,
  code: row.code,
  message: row.message,
  finishedAt: iso(row.finished_at),
  createdAt: row.created_at.toISOString(),
});

export const toAttemptView = (row: AttemptRow): DeliveryAttemptView => ({
  number: row.number,
  at: row.at.toISOString(),
  durationMs: row.duration_ms,
  status: row.status,
  code: row.code,
  message: row.message,
  answer: row.answer,
  truncated: row.truncated,
});
