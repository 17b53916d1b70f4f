import type { EntityManager } from 'typeorm';
import { row, rows, sql } from '../../common/database/sql.js';

/** Maximum number of messages per rule and clock hour. Further ones are only counted, in one summary. */
export const MAX_MESSAGES_PER_HOUR = 60;
const HOUR = 3_600;

export interface HourlyUse {
  /** Hours since 1970. */
  number: number;
  /** Time until the hour ends, in seconds. */
  left: number;
  told: Map<string, number>;
}

export async function getHourlyUse(
  tx: EntityManager,
  tenantId: string,
  ruleIds: readonly string[],
): Promise<HourlyUse> {
  const clock = await row(
    tx,
    sql<{ number: number; left: number }>`
      select floor(seconds / ${HOUR})::int as number, ceil(${HOUR} - mod(seconds, ${HOUR}))::int as left
      from (select extract(epoch from now()) as seconds) t`,
  );
  const { number, left } = clock ?? { number: 0, left: HOUR };
  const counts = await rows(
    tx,
    sql<{ id: string; told: number }>`select rule_id as id, count(*)::int as told from notification_deliveries
      where tenant_id = ${tenantId} and rule_id = any (${ruleIds}) and created_at >= to_timestamp(${number * HOUR}::float8)
        and state <> 'summarised' and event <> 'summary' group by rule_id`,
  );
  return { number, left, told: new Map(counts.map(({ id, told: sent }) => [id, sent])) };
}

export const toSummaryCause = (hour: number): string => `summary ${hour}`;

export async function countOmitted(
  tx: EntityManager,
  tenantId: string,
  ruleId: string,
  cause: string,
): Promise<{ event: string; count: number }[]> {
  const hour = Number(cause.split(' ')[1]);
  return rows(
    tx,
    sql<{ event: string; count: number }>`select event, count(*)::int as count from notification_deliveries
      where tenant_id = ${tenantId} and rule_id = ${ruleId} and state = 'summarised'
        and created_at >= to_timestamp(${hour * HOUR}::float8)
        and created_at < to_timestamp(${(hour + 1) * HOUR}::float8)
      group by event order by event`,
  );
}
