import { sql } from '../common/database/sql.js';
import type { SignIns } from '../tenancy/sign-ins/sign-ins.js';
import { forgetSignInFailures } from './login/account-failures.js';
import { listTrustRulesOfMember } from './oidc/rule-directory.js';
import { endSessions } from './sessions/end-sessions.js';

export const memberSignIns: SignIns = {
  endSessions,
  trustRules: listTrustRulesOfMember,
  forgetFailures: forgetSignInFailures,
  credentials: sql`select tenant_id, user_id, id from sessions union all select tenant_id, user_id, id from api_tokens`,
};
