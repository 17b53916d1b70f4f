import { ApiProperty } from '@nestjs/swagger';
import { IsBoolean, IsIn } from 'class-validator';
import { Maybe } from '../../common/http/fields.js';
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
  @Maybe()
  @IsBoolean({ message: 'secret must be true or false' })
  secret?: boolean;

  /** Follows from the value unless given; `secret` is a secret text. */
  @ApiProperty({ enum: ENVIRONMENT_VARIABLE_TYPES, required: false, example: 'string' })
  @Maybe()
  @IsIn(ENVIRONMENT_VARIABLE_TYPES, { message: `type must be one of ${ENVIRONMENT_VARIABLE_TYPES.join(', ')}` })
  type?: EnvironmentVariableType;
}

export class ListVariablesQuery extends PageQuery {
  @SortBy(['key'], 'key')
  sort?: string;
}
