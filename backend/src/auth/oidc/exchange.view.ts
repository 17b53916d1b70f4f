import { ApiProperty } from '@nestjs/swagger';
import { ROLES, type Role } from '../../common/access/principal.js';
import { TokenScopeView } from '../tokens/token-scope.view.js';
import { UserReference } from '../../common/http/user-reference.view.js';

/** Member on whose behalf the token acts. */
export class ExchangeUserView extends UserReference {
  @ApiProperty({ enum: ROLES })
  role: Role;
}

export class ExchangeRuleView {
  id: string;
  name: string;
}

export class ExchangeTenantView {
  id: string;
  /** Name of the tenant, unique in the installation. */
  name: string;
}

/** Response to an exchange. Only this response contains the token. */
export class ExchangedTokenView {
  /** Value for `Authorization: Bearer`. */
  token: string;
  /** Time from which the token is refused, in UTC. */
  expiresAt: string;
  /** Member as whom the token acts. */
  user: ExchangeUserView;
  /** Trust rule that issued the token. */
  rule: ExchangeRuleView;
  /** Tenant in which the token is valid. */
  tenant: ExchangeTenantView;
  /** Restrictions of the token; null: unrestricted, except that it can't approve. */
  @ApiProperty({ type: TokenScopeView, nullable: true })
  scope: TokenScopeView | null;
}
