import { ApiProperty } from '@nestjs/swagger';
import { ROLES, type Role } from '../../common/access/principal.js';
import { TokenScopeView } from '../tokens/token-scope.view.js';

/** As whom the token acts. */
export class ExchangeUserView {
  id: string;
  name: string;
  @ApiProperty({ enum: ROLES })
  role: Role;
}

export class ExchangeRuleView {
  id: string;
  name: string;
}

export class ExchangeTenantView {
  id: string;
  name: string;
}

/** The answer to an exchange: the only time the token's value is shown. */
export class ExchangedTokenView {
  /** To be sent as `Authorization: Bearer`. */
  token: string;
  expiresAt: string;
  user: ExchangeUserView;
  rule: ExchangeRuleView;
  tenant: ExchangeTenantView;
  /** What it may do less than its member; null: nothing, but that only people approve. */
  @ApiProperty({ type: TokenScopeView, nullable: true })
  scope: TokenScopeView | null;
}
