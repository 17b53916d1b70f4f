import { ApiProperty } from '@nestjs/swagger';
import { OptionalOneOf, OptionalBoolean } from '../common/http/fields.js';
import { SortBy } from '../common/http/paging/filters.js';
import { PageQuery } from '../common/http/paging/page.dto.js';
import { IsVariableValue, VALUE_SCHEMA } from './value-schema.js';
import type { VariableValue } from './variable-value.js';
import { STORED_VARIABLE_TYPES, type StoredVariableType } from './variable-rules.js';

export class PutVariableRequest {
  /** New value of the variable; it replaces the previous one. */
  @ApiProperty({ ...VALUE_SCHEMA, example: 'eu-1' })
  @IsVariableValue()
  value: VariableValue;

  /** The value is write-only: stored encrypted, masked in output, returned as null. */
  @OptionalBoolean()
  secret?: boolean;

  /**
   * Default: the type of the value; `secret` = a secret text.
   * @example "string"
   */
  @OptionalOneOf(STORED_VARIABLE_TYPES)
  type?: StoredVariableType;
}

export class ListVariablesQuery extends PageQuery {
  @SortBy(['key'], 'key')
  sort?: string;
}
