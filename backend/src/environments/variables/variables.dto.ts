import { ApiProperty } from '@nestjs/swagger';
import { MaybeOneOf, YesNo } from '../../common/http/fields.js';
import { SortBy } from '../../common/http/paging/filters.js';
import { PageQuery } from '../../common/http/paging/page.dto.js';
import { IsVariableValue, VALUE_SCHEMA } from '../../common/variables/value-schema.js';
import type { VariableValue } from '../../common/variables/variable-value.js';
import { ENVIRONMENT_VARIABLE_TYPES, type EnvironmentVariableType } from './variable-rules.js';

export class PutVariableRequest {
  @ApiProperty({ ...VALUE_SCHEMA, example: 'eu-1' })
  @IsVariableValue()
  value: VariableValue;

  /** The value is never shown again: sealed, masked in output, read back as null. */
  @YesNo()
  secret?: boolean;

  /**
   * Follows from the value unless given; `secret` is a secret text.
   * @example "string"
   */
  @MaybeOneOf(ENVIRONMENT_VARIABLE_TYPES)
  type?: EnvironmentVariableType;
}

export class ListVariablesQuery extends PageQuery {
  @SortBy(['key'], 'key')
  sort?: string;
}
