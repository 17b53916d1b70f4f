import { sql } from '../../common/database/sql.js';
import { ApiProperty } from '@nestjs/swagger';
import { VALUE_SCHEMA } from '../../variables/value-schema.js';
import type { VariableValue } from '../../variables/variable-value.js';
import { ENVIRONMENT_VARIABLE_TYPES, type EnvironmentVariableType } from './variable-rules.js';

/** Member who last set the value. */
export class VariableAuthorView {
  id: string;
  name: string;
}

export class EnvironmentVariableView {
  /** @example "REGION" */
  key: string;
  /** Null for a secret, which is write-only. */
  @ApiProperty({ ...VALUE_SCHEMA, nullable: true })
  value: VariableValue | null;
  @ApiProperty({ enum: ENVIRONMENT_VARIABLE_TYPES })
  type: EnvironmentVariableType;
  secret: boolean;
  createdAt: string;
  updatedAt: string;
  updatedBy: VariableAuthorView;
  version: number;
}

export class EnvironmentVariableListView {
  items: EnvironmentVariableView[];
  nextCursor: string | null;
}

export interface VariableRow {
  id: string;
  key: string;
  type: EnvironmentVariableType;
  secret: boolean;
  value: VariableValue | null;
  created_at: Date;
  updated_at: Date;
  updated_by: string;
  updated_by_name: string;
  version: number;
}

export const VARIABLE_COLUMNS = sql`id, key, type, secret, value, created_at, updated_at, updated_by, updated_by_name, version`;

export const toVariableView = (row: VariableRow): EnvironmentVariableView => ({
  key: row.key,
  value: row.secret ? null : row.value,
  type: row.type,
  secret: row.secret,
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
  updatedBy: { id: row.updated_by, name: row.updated_by_name },
  version: row.version,
});
