import { ApiProperty } from '@nestjs/swagger';
import { VALUE_SCHEMA } from '../../variables/value-schema.js';
import type { VariableValue } from '../../variables/variable-value.js';
import { VariableView } from '../../variables/variables.view.js';

export class ServerVariableView extends VariableView {
  /**
   * Name of the variable, as in `{{ NODE_ID }}`; unique on the server.
   * @example "NODE_ID"
   */
  override key: string;
  /** Null for a secret, which the API never returns. */
  @ApiProperty({ ...VALUE_SCHEMA, nullable: true })
  override value: VariableValue | null;
}

export class ServerVariableListView {
  items: ServerVariableView[];
  nextCursor: string | null;
}
