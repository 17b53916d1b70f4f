import type { SignIns } from '../tenancy/sign-ins.js';
import { forgetFailures } from './login/account-failures.js';
import { trustRulesOf } from './oidc/rule-directory.js';
import { endSessions } from './sessions/end-sessions.js';

export const memberSignIns: SignIns = {
  endSessions,
  trustRules: trustRulesOf,
  forgetFailures,
  credentialIds: (tenant, user) =>
    `select id from sessions where tenant_id = ${tenant} and user_id = ${user}
      union all select id from api_tokens where tenant_id = ${tenant} and user_id = ${user}`,
};
