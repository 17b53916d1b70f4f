import { ApiProperty } from '@nestjs/swagger';
import { OptionalOneOf, OptionalBoolean } from '../../common/http/fields.js';
import { SortBy } from '../../common/http/paging/filters.js';
import { PageQuery } from '../../common/http/paging/page.dto.js';
import { IsVariableValue, VALUE_SCHEMA } from '../../variables/value-schema.js';
import type { VariableValue } from '../../variables/variable-value.js';
import { ENVIRONMENT_VARIABLE_TYPES, type EnvironmentVariableType } from './variable-rules.js';

export class PutVariableRequest {
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
  @OptionalOneOf(ENVIRONMENT_VARIABLE_TYPES)
  type?: EnvironmentVariableType;
}

export class ListVariablesQuery extends PageQuery {
  @SortBy(['key'], 'key')
  sort?: string;
}
