import { ApiProperty } from '@nestjs/swagger';
import { STORED_VARIABLE_TYPES, type StoredVariableType } from './variable-rules.js';
import { VALUE_SCHEMA } from './value-schema.js';
import type { VariableValue } from './variable-value.js';
import { UserReference } from '../common/http/user-reference.view.js';

/** Variable of an environment or a server. */
export class VariableView {
  key: string;
  @ApiProperty({ ...VALUE_SCHEMA, nullable: true })
  value: VariableValue | null;
  /** Type of the value; `secret` = a secret text. */
  @ApiProperty({ enum: STORED_VARIABLE_TYPES })
  type: StoredVariableType;
  secret: boolean;
  createdAt: string;
  updatedAt: string;
  /** Member who last set the value. */
  updatedBy: UserReference;
  version: number;
}

export interface VariableRow {
  id: string;
  key: string;
  type: StoredVariableType;
  secret: boolean;
  value: VariableValue | null;
  created_at: Date;
  updated_at: Date;
  updated_by: string;
  updated_by_name: string;
  version: number;
}

export const toVariableView = (row: VariableRow): VariableView => ({
  key: row.key,
  value: row.secret ? null : row.value,
  type: row.type,
  secret: row.secret,
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
  updatedBy: { id: row.updated_by, name: row.updated_by_name },
  version: row.version,
});
