import { ROLES, type Role } from '../../common/access/principal.js';
import {
  PartialUpdateOf,
  MultilineText,
  IsOptionalField,
  IsOneOf,
  QueryText,
  RequiredTextLine,
  OptionalBoolean,
} from '../../common/http/fields.js';
import { SortBy } from '../../common/http/paging/filters.js';
import { PageQuery } from '../../common/http/paging/page.dto.js';

export class CreateServiceAccountRequest {
  /** @example "deploy pipeline" */
  @RequiredTextLine(100)
  name: string;

  /** @example "operator" */
  @IsOneOf(ROLES)
  role: Role;

  /** @example "Starts the deployment from GitHub Actions." */
  @IsOptionalField()
  @MultilineText(2000)
  description?: string;
}

export class UpdateServiceAccountRequest extends PartialUpdateOf(CreateServiceAccountRequest) {
  /** True = its tokens are refused immediately. They work again when the service account is enabled. */
  @OptionalBoolean()
  disabled?: boolean;
}

export class ListServiceAccountsQuery extends PageQuery {
  @SortBy(['name', 'createdAt'])
  sort?: string;

  /** Text that the name contains. */
  @QueryText()
  q?: string;
}
