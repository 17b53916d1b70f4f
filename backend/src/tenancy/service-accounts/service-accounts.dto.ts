import { ROLES, type Role } from '../../common/access/principal.js';
import { ChangeOf, FreeText, Maybe, OneOf, QueryText, Text, YesNo } from '../../common/http/fields.js';
import { SortBy } from '../../common/http/paging/filters.js';
import { PageQuery } from '../../common/http/paging/page.dto.js';

export class CreateServiceAccountRequest {
  /** @example "deploy pipeline" */
  @Text(100)
  name: string;

  /** @example "operator" */
  @OneOf(ROLES)
  role: Role;

  /** @example "Starts the deployment from GitHub Actions." */
  @Maybe()
  @FreeText(2000)
  description?: string;
}

export class UpdateServiceAccountRequest extends ChangeOf(CreateServiceAccountRequest) {
  /** True = its tokens are refused immediately. They work again when the service account is enabled. */
  @YesNo()
  disabled?: boolean;
}

export class ListServiceAccountsQuery extends PageQuery {
  @SortBy(['name', 'createdAt'])
  sort?: string;

  /** Text that the name contains. */
  @QueryText()
  q?: string;
}
