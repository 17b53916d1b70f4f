import { ApiProperty } from '@nestjs/swagger';
import { VALUE_SCHEMA } from '../../variables/value-schema.js';
import type { VariableValue } from '../../variables/variable-value.js';
import { VariableView } from '../../variables/variables.view.js';

export class EnvironmentVariableView extends VariableView {
  /**
   * Name of the variable, as in `{{ REGION }}`; unique in the environment.
   * @example "REGION"
   */
  override key: string;
  /** Null for a secret, which is write-only. */
  @ApiProperty({ ...VALUE_SCHEMA, nullable: true })
  override value: VariableValue | null;
}

export class EnvironmentVariableListView {
  items: EnvironmentVariableView[];
  nextCursor: string | null;
}
