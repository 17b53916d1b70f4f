import { FreeText, Maybe, QueryText, Text } from '../common/http/fields.js';
import { PageQuery } from '../common/http/page.dto.js';

export class CreateEnvironmentRequest {
  /** @example "staging" */
  @Text(100)
  name: string;

  @Maybe()
  @FreeText(2000)
  description?: string;
}

export class UpdateEnvironmentRequest {
  /** @example "staging" */
  @Maybe()
  @Text(100)
  name?: string;

  @Maybe()
  @FreeText(2000)
  description?: string;
}

export class ListEnvironmentsQuery extends PageQuery {
  /** Part of the name. */
  @QueryText()
  q?: string;
}
